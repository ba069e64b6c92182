import { spawn } from "node:child_process";
import { constants } from "node:os";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { notFoundError, usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { chosenModel, modelFlag } from "../model-flag.ts";
import { type Agent, agents, generic } from "./agents.ts";

/** `tollgate run`: runs a program with the URL, key, and model in its environment. */
export const runAgent = defineCommand({
  examples: [
    "tollgate run aider -m example-large",
    'tollgate run opencode -m example-large -- run "explain this repository"',
    "tollgate run claude -m example-large",
    "tollgate run python -- agent.py",
  ],
  arguments: [
    { name: "agent", description: "Program to run, such as aider, opencode, codex, or claude" },
    { name: "arguments", description: "Arguments for the program, after --", optional: true, many: true },
  ],
  flags: { model: modelFlag },
  notes:
    "Programs that use the OpenAI API receive OPENAI_BASE_URL, OPENAI_API_BASE, OPENAI_API_KEY, and, if a model is given, OPENAI_MODEL. The program's configuration files are not changed. The exit code is the program's exit code.",
  exitCodes: { 3: "Program not found, or the gateway does not serve the API that the program uses" },
  async run(context, flags, args) {
    const agent = agents[args.agent] ?? generic;
    const named = flags.model ?? context.settings.values.model.value;
    const connection = {
      baseUrl: context.baseUrl,
      apiKey: context.apiKey(),
      model: agent.needsModel ? chosenModel(context, flags.model) : named,
    };
    await checkServed(context, args.agent, agent);
    return start(context, args.agent, [...agent.arguments(connection), ...args.arguments], {
      ...context.io.env,
      ...agent.environment(connection),
    });
  },
});

/** Throws if the required API isn't available, because the tool's own errors would be unclear. */
async function checkServed({ gateway }: CommandContext, name: string, { needs }: Agent): Promise<void> {
  if (needs === generic.needs) return;
  try {
    await gateway.request("POST", needs, { body: {} });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404 || error.status === 405) {
      throw notFoundError(
        `${name} uses ${needs}, which this gateway does not serve.`,
        "Use a tool that supports chat completions: tollgate run opencode, tollgate run aider",
      );
    }
    // If the API is available, it rejects the empty request as invalid. Report a rejected key or an unreachable gateway
    // now, because the tool would fail too.
    if (error.status === 401 || error.status === 403 || error.status === 0) throw error;
  }
}

function start(
  { io }: CommandContext,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: io.cwd, env, stdio: "inherit" });
    // The terminal sends Ctrl-C to both processes; the program decides how to handle it.
    const ignore = () => {};
    process.on("SIGINT", ignore);
    child.once("error", (error: NodeJS.ErrnoException) => {
      process.off("SIGINT", ignore);
      const isMissing = error.code === "ENOENT";
      reject(
        isMissing
          ? notFoundError(`Program '${program}' not found.`, "Install the program, or specify its path.")
          : usageError(`Could not start ${program}: ${error.code ?? error.message}.`),
      );
    });
    child.once("exit", (code, signal) => {
      process.off("SIGINT", ignore);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
