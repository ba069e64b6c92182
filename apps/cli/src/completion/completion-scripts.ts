/**
 * Completion script for each shell. The scripts call the CLI itself, so they never become outdated. Names are chosen by
 * other users, so the scripts never pass a name to a shell unquoted.
 */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_tollgate() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$(printf '%q' "$candidate")")
  done < <(tollgate __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _tollgate tollgate
`,
  zsh: `#compdef tollgate
_tollgate() {
  local -a candidates
  candidates=("\${(@f)$(tollgate __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[*]}" ]]; then compadd -a candidates; else _files; fi
}
if [[ "$funcstack[1]" = "_tollgate" ]]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`,
  fish: `function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  tollgate __complete $words[2..-1] 2>/dev/null
end
complete -c tollgate -f -a '(__tollgate_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName tollgate -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  tollgate __complete @words 2>$null | ForEach-Object {
    $text = if ($_ -match '^[\\w./:@-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`,
};
