"""Completion on the side of the shell: the scripts that ask `completion`, and where they belong.

A script calls the command itself with the words so far, the last of them the unfinished one, and
with `COMPLETING` set. Each line of the answer is a word that could stand there, a tab, and what it
means; no answer means that a file is expected, and the shell knows those better.
"""

import os
from pathlib import Path
from typing import NamedTuple

from dodona.cli.errors import UsageError

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
    """What a shell reads; files are named as seen from the home of the user."""

    script: str
    place: str
    startup: str = ""  # the file that must name that place; "" where the shell looks there anyway
    line: str = ""  # that names it


SHELLS = {
    "bash": Shell(
        BASH,
        ".bash_completions/dodona.sh",
        startup=".bashrc",
        line="source ~/.bash_completions/dodona.sh",
    ),
    "zsh": Shell(
        ZSH,
        ".zfunc/_dodona",
        startup=".zshrc",
        line="fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    ),
    "fish": Shell(FISH, ".config/fish/completions/dodona.fish"),
}


def find_shell() -> str:
    """The name of the shell that the user has chosen."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(f"$SHELL is {name!r}; name one of these shells: {', '.join(SHELLS)}")
    return name


def install(name: str) -> Path:
    """Put the script where the shell finds it; where it is already, this changes nothing."""
    shell, home = SHELLS[name], Path.home()
    place = home / shell.place
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(shell.script, encoding="utf-8")
    if shell.startup:
        _append(home / shell.startup, shell.line)
    return place


def _append(file: Path, line: str) -> None:
    """Add a line to the end of a file that lacks it."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if line not in text.splitlines():
        gap = "" if not text or text.endswith("\n") else "\n"
        file.write_text(f"{text}{gap}{line}\n", encoding="utf-8")
