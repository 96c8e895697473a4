"""Completion scripts for shells, and where to install them.

A script calls `dodona` with the words so far, the last one unfinished, and `COMPLETING` set. Each
line of the output is a completion, a tab and a description; without output, the shell completes
file names itself.
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
    """Return the name of the user's shell."""
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
