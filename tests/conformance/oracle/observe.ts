import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { startDev } from "@tollgate/testkit/processes/start-instance.ts";
import { askSide, type Side } from "./ask-side.ts";
import { prepareLitellm, prepareTollgate } from "./prepare-sides.ts";
import { type Observation, type Question, titleOf } from "./question.ts";
import { findUnheeded, type RequestFields, readRequestFields } from "./request-fields.ts";
import { describeModels } from "./served-models.ts";
import { startLitellm } from "./start-litellm.ts";

/** Observations, by question title. */
export type Observations = Readonly<Record<string, Observation>>;

/** Starts LiteLLM and sends it the questions. */
export function observeLitellm(questions: readonly Question[]): Promise<{
  readonly version: string;
  readonly fields: RequestFields;
  readonly observations: Observations;
}> {
  return onStage(async (folder, upstream) => {
    const litellm = await startLitellm(folder, upstream.origin);
    try {
      const rename = (text: string) =>
        text.replaceAll("x-gw-", "x-litellm-").replaceAll(/\bgw_(?=model_id|call_id)/g, "litellm_");
      const kept = await prepareLitellm(litellm);
      const observations = await askAll({ ...litellm, upstream, rename, kept }, questions);
      return { version: litellm.version, fields: await readRequestFields(litellm), observations };
    } finally {
      await litellm.stop();
    }
  });
}

/**
 * Starts Tollgate with the same models, as a user would start it, and sends it the questions. Also returns which of
 * LiteLLM's request fields it doesn't heed.
 */
export function observeTollgate(
  questions: readonly Question[],
  fields: RequestFields,
): Promise<{ readonly observations: Observations; readonly unheeded: RequestFields }> {
  return onStage(async (folder, upstream) => {
    const settings = {
      model_list: describeModels(upstream.origin),
      // In development mode, a request without a model uses a simulated model, but LiteLLM uses an OpenAI model.
      // Its model hub is public, which LiteLLM's is not by default.
      general_settings: { moderation_model: "omni-moderation-latest", enable_public_model_hub: false },
      router_settings: { num_retries: 0, disable_cooldowns: true },
    };
    const tollgate = await startDev({
      folder,
      settings: JSON.stringify(settings),
      env: { TOLLGATE_LOG_LEVEL: "warn" },
    });
    try {
      const kept = await prepareTollgate(tollgate);
      const observations = await askAll({ ...tollgate, upstream, rename: (text) => text, kept }, questions);
      const unheeded = await findUnheeded(tollgate, fields);
      return { observations: withoutSimulated(observations) as Observations, unheeded };
    } finally {
      await tollgate.stop();
    }
  });
}

async function onStage<T>(use: (folder: string, upstream: FakeUpstream) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-oracle-"));
  const upstream = await startFakeUpstream();
  try {
    return await use(folder, upstream);
  } finally {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ask one question at a time, because each question sets the upstream's behavior. */
async function askAll(side: Side, questions: readonly Question[]): Promise<Observations> {
  const observed: Record<string, Observation> = {};
  for (const question of questions) observed[titleOf(question)] = await askSide(side, question);
  return observed;
}

/** Removes the simulated models that `tollgate dev` adds to the configured models. */
function withoutSimulated(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isSimulated(item)).map(withoutSimulated);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSimulated(item)]));
}

function isSimulated(value: unknown): boolean {
  const { id, object } = (value ?? {}) as { id?: unknown; object?: unknown };
  return object === "model" && String(id).startsWith("sim/");
}
