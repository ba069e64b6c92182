import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "../../../context.ts";
import { ask, canAsk } from "../../../prompts/prompt.ts";
import { writeSetting } from "../../../settings/config-file.ts";
import { credentialsPath } from "../../../settings/config-folder.ts";
import { readCredential, writeCredential } from "../../../settings/credentials.ts";

const MAX_NAME_LENGTH = 100;
const MAX_TEAMS = 100;
/** A free model that every `tollgate dev` serves. */
const SIMULATED_MODEL = "sim/echo";

/**
 * After a sign-in, offers to create an inference key and stores it for this profile, so that `tollgate chat` works. With
 * `isWanted`, creates it without asking. A failure is only a warning, because the user is signed in.
 */
export async function offerKey(context: CommandContext, token: string, isWanted: boolean): Promise<void> {
  const { env } = context.io;
  const { output, settings } = context;
  const credential = readCredential(env, settings.profile);
  const hasKey = Boolean(env.TOLLGATE_API_KEY) || (credential?.apiKey ?? null) !== null;
  if (credential === null || hasKey) return;
  if (!isWanted && (output.isJson || output.isQuiet || !canAsk(context.io) || !(await wantsKey(context)))) return;
  const platform = context.platformAs(token);
  try {
    const teamId = await chooseTeam(context, platform);
    if (teamId === null) return;
    const name = `tollgate on ${hostname()}`.slice(0, MAX_NAME_LENGTH);
    const { apiKey } = await platform.call("createApiKey", { body: { name, teamId }, idempotencyKey: randomUUID() });
    writeCredential(env, settings.profile, {
      ...credential,
      apiKey: { baseUrl: context.baseUrl, secret: apiKey.token as string },
    });
    output.done(`Created key ${name} and stored it in ${credentialsPath(env)} (readable only by you)`);
    await chooseDefaultModel(context, platform);
    output.next('tollgate chat "hello"');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    output.warn(`Could not create an API key: ${error.message}`);
  }
}

/** The user is signed in already, so Ctrl-C and Ctrl-D only decline the offer. */
async function wantsKey({ io }: CommandContext): Promise<boolean> {
  const question = "Create an API key on this computer for tollgate chat? [Y/n]";
  const typed = await ask(io, question, "--create-key").catch(() => "n");
  return /^(?:|y|yes)$/i.test(typed.trim());
}

/** Returns the ID of the key's team: the only one, or the one that the user names. */
async function chooseTeam(context: CommandContext, platform: PlatformClient): Promise<string | null> {
  const { data } = await platform.call("listTeams", { query: { pageSize: MAX_TEAMS } });
  const [first] = data;
  if (first === undefined || (data.length > 1 && !canAsk(context.io))) {
    const reason = first === undefined ? "You are not in a team yet" : "You are in several teams";
    context.output.warn(`${reason}. To create a key, run: tollgate keys create NAME --team TEAM`);
    return null;
  }
  if (data.length === 1) return first.id;
  const names = data.map(({ name }) => name).join(", ");
  const typed = (await ask(context.io, `Team (${names}) [${first.name}]:`, "--create-key")).trim().toLowerCase();
  if (typed === "") return first.id;
  const named = data.find(({ id, name }) => name.toLowerCase() === typed || id.toLowerCase() === typed);
  if (named === undefined)
    context.output.warn("Unknown team. To create a key, run: tollgate keys create NAME --team TEAM");
  return named?.id ?? null;
}

/** Sets the default chat model of a profile that has none. On a development server, it is a free one. */
async function chooseDefaultModel(context: CommandContext, platform: PlatformClient): Promise<void> {
  const { settings, output } = context;
  if (settings.values.model.value !== null) return;
  const { data } = await platform.call("listModels", { query: { type: ["chat"], pageSize: MAX_TEAMS } });
  const model = data.find(({ id }) => id === SIMULATED_MODEL) ?? data[0];
  if (model === undefined) return;
  writeSetting(context.io.env, settings.profile, "model", model.id);
  output.note(`  Default model: ${model.id}. To change it: tollgate config set model MODEL`);
}
