import { defineCommand } from "../../command.ts";
import { completionScripts } from "../../completion/completion-scripts.ts";

/** `tollgate completion`: prints the completion script for a shell. */
export const completion = defineCommand({
  examples: [
    'eval "$(tollgate completion bash)"                                   # in ~/.bashrc',
    "tollgate completion zsh > ~/.zfunc/_tollgate                         # a directory in $fpath",
    "tollgate completion fish > ~/.config/fish/completions/tollgate.fish",
    "tollgate completion powershell | Out-String | Invoke-Expression      # in $PROFILE",
  ],
  arguments: [{ name: "shell", description: "Shell", choices: Object.keys(completionScripts) }],
  async run(context, _, { shell }) {
    context.output.text(completionScripts[shell] as string);
  },
});
