"""`dodona` without a verb: its version, and completion for shells.

A script calls `dodona` with the words so far, the last one unfinished, and `COMPLETING` set. Each
line of the output is a completion, a tab and a description; without output, the shell completes
file names itself.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.verbs import VERBS, load_verb, summaries

AUTO = "auto"
COMPLETING = "_DODONA_COMPLETE"

BASH = """\
_dodona() {
    local word
    COMPREPLY=()
    while IFS=$'\\t' read -r word _; do
        COMPREPLY+=("$word")
    done < <(_DODONA_COMPLETE=1 "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _dodona dodona
"""
ZSH = """\
#compdef dodona
_dodona() {
    local answer
    answer=$(_DODONA_COMPLETE=1 "${words[1]}" "${(@)words[2,CURRENT]}" 2>/dev/null)
    if [[ -z $answer ]]; then
        _files
        return
    fi
    local -a found
    found=("${(@f)answer}")
    found=("${found[@]//:/\\\\:}")
    found=("${found[@]/$'\\t'/:}")
    _describe dodona found
}
if [[ $funcstack[1] == _dodona ]]; then
    _dodona "$@"
else
    compdef _dodona dodona
fi
"""
FISH = """\
function __dodona
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l found (env _DODONA_COMPLETE=1 $words[1] $words[2..-1] "$last" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$last"
    end
end
complete -c dodona -f -a '(__dodona)'
"""


class Shell(NamedTuple):
    """The completion of a shell; paths are relative to the home folder."""

    script: str
    path: str
    startup: str = ""  # the file that must load the script; "" if the shell finds it
    line: str = ""  # the line that loads it


SHELLS = {
    "bash": Shell(
        *(BASH, ".bash_completions/dodona.sh"),
        *(".bashrc", "source ~/.bash_completions/dodona.sh"),
    ),
    "zsh": Shell(
        *(ZSH, ".zfunc/_dodona"),
        *(".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    ),
    "fish": Shell(FISH, ".config/fish/completions/dodona.fish"),
}


def find_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(f"$SHELL is {name!r}; give one of these shells: {', '.join(SHELLS)}")
    return name


def install(name: str) -> Path:
    """Install the script of a shell, and return its path; installing twice changes nothing."""
    shell, home = SHELLS[name], Path.home()
    path = home / shell.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(shell.script, encoding="utf-8")
    if shell.startup:
        file = home / shell.startup
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if shell.line not in text.splitlines():
            gap = "" if not text or text.endswith("\n") else "\n"
            file.write_text(f"{text}{gap}{shell.line}\n", encoding="utf-8")
    return path


def choose(words: Sequence[str]) -> tuple[Callable[..., Any], Sequence[str]]:
    """Return the verb that the first word names, or `program`, and the remaining words.

    >>> verb, rest = choose(["info", "en"])
    >>> verb.__name__, rest
    ('info', ['en'])
    """
    if words and not words[0].startswith("-"):
        return load_verb(words[0]), words[1:]
    return program, words


def program(
    *,
    version: Annotated[bool, Flag("print the version")] = False,
    install_completion: Annotated[
        str | None,
        Flag(
            "install completion of verbs and flags for a shell; auto: the shell in $SHELL",
            choices=(AUTO, *SHELLS),
            alone=AUTO,
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        Flag("print the completion script of a shell", choices=(AUTO, *SHELLS), alone=AUTO),
    ] = None,
) -> None:
    """Fast, exact, trainable transition-based dependency parsing with dynamic oracles."""
    if version:
        import dodona

        print(f"dodona {dodona.__version__}")
    elif install_completion:
        path = install(find_shell() if install_completion == AUTO else install_completion)
        say(f"installed {path}; completion works in new shells")
    elif show_completion:
        shell = find_shell() if show_completion == AUTO else show_completion
        print(SHELLS[shell].script, end="")
    else:
        raise UsageError(f"a verb is missing; the verbs are: {', '.join(VERBS)}")


def complete(words: Sequence[str]) -> list[str]:
    """Return the completions of the last word, each followed by a tab and a description.

    >>> complete(["inf"]), complete(["parse", "--output", "j"])
    (['info\\tShow everything a model records.'], ['json'])

    There are none where a file is expected, or after an error.

    >>> complete(["parse", ""]), complete(["parse", "--treads", "-"])
    ([], [])
    """
    *before, last = words or [""]
    # undo the splitting of Bash, which takes `--output=json` for three words
    before, last = [word for word in before if word != "="], "" if last == "=" else last
    try:
        found = _list_all(before, last)
    except UsageError:
        return []
    return [
        f"{word}\t{about}".rstrip("\t") for word, about in found.items() if word.startswith(last)
    ]


def _list_all(before: Sequence[str], last: str) -> dict[str, str]:
    """Return all words that could follow, with their descriptions."""
    if not before and not last.startswith("-"):
        return summaries()
    verb, rest = choose(before)
    line = CommandLine(rest, parameters(verb))
    if line.waiting:
        return dict.fromkeys(line.waiting.flag.choices, "")
    if not line.takes_flags or not last.startswith("-"):
        return {}
    name, is_joined, _ = last.partition("=")
    if is_joined and name in line.flags:
        return {f"{name}={choice}": "" for choice in line.flags[name].flag.choices}
    return {name: parameter.flag.help for name, parameter in line.flags.items()}
