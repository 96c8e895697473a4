"""Sentences that several tests look at."""

# the words of "au" are one token; an empty node and a comment stand between lines
ORACLE = """\
# sent_id = dodona-1
# text = Allez-y au chêne, vite!
1-2\tAllez-y\t_\t_\t_\t_\t_\t_\t_\tTokenRange=0:7
1\tAllez\taller\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2\t-y\ty\tPRON\tP\t_\t1\tobl\t1:obl\tSpaceAfter=No
2.1\tvous\tvous\tPRON\tP\t_\t_\t_\t1:nsubj\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\tTokenRange=8:10
3\tà\tà\tADP\tE\t_\t5\tcase\t5:case\t_
4\tle\tle\tDET\tD\tDefinite=Def\t5\tdet\t5:det\t_
5\tchêne\tchêne\tNOUN\tN\tGender=Masc\t1\tobl\t1:obl\tSpaceAfter=No|TokenRange=11:16
6\t,\t,\tPUNCT\t,\t_\t7\tpunct\t7:punct\tTokenRange=16:17
7\tvite\tvite\tADV\tA\t_\t1\tadvmod\t1:advmod\tSpaceAfter=No|TokenRange=18:22
8\t!\t!\tPUNCT\t!\t_\t1\tpunct\t1:punct\tTokenRange=22:23

"""
