import { ParticipantCallError } from "@tollgate/participant/client/participant-call-error.ts";
import type { ParticipantClient } from "@tollgate/participant/client/participant-client.ts";
import type { ParticipantStatus } from "@tollgate/participant/client/participant-status.ts";
import { openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import type { TensorInfo } from "@tollgate/participant/formats/tensor-set.ts";
import { type JsonObject, type JsonValue, OPERATIONS, type Operation } from "@tollgate/participant/handlers.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";
import type { AggregatePlan } from "../plan/plan.ts";
import { plural } from "../progress/run-lines.ts";
import { formatBytes, formatDuration, formatScore } from "../report/format-figure.ts";
import { describeFix } from "./describe-fix.ts";

export interface CheckedParticipant {
  readonly id: string;
  /** Operations to check; null for all operations that the participant has registered. */
  readonly roles: readonly Operation[] | null;
  readonly dataset: JsonValue;
  readonly config: JsonObject;
  readonly tokenEnv: string | null;
  readonly format: AggregatePlan["format"];
  /** Output of a participant started for the check; null for a remote participant. */
  readonly logFile: string | null;
}

/** One check and its result. */
export interface Finding {
  readonly participant: string;
  readonly what: string;
  readonly state: "ok" | "failed" | "skipped";
  readonly text: string;
  /** Suggested fix for a failure. */
  readonly fix: string | null;
  /** True if there was no response, so a later retry may help. */
  readonly isUnreachable: boolean;
}

interface ParticipantCheck {
  readonly findings: readonly Finding[];
  /** Names, types, and shapes of the participant's parameters, for comparison; null if they cannot be read. */
  readonly shape: string | null;
}

/**
 * Calls each operation once with a minimal sample: trains an untrained model, then uses the result for the other
 * operations.
 */
export async function checkParticipant(
  client: ParticipantClient,
  asked: CheckedParticipant,
  options: { readonly signal: AbortSignal; readonly timeoutSeconds: number },
): Promise<ParticipantCheck> {
  const findings: Finding[] = [];
  const note = (what: string, state: Finding["state"], text: string, fix: string | null = null) =>
    findings.push({ participant: asked.id, what, state, text, fix, isUnreachable: false });
  const { dataset, config } = asked;
  let shape: string | null = null;
  let roles = asked.roles ?? OPERATIONS;

  const hasAnswered = await attempt("health", async () => {
    const status = await client.status(options.signal);
    if (status !== null && asked.roles === null) roles = OPERATIONS.filter((operation) => status.handlers[operation]);
    note("health", "ok", status === null ? "responds; supports only the three operations" : describeStatus(status));
  });
  if (!hasAnswered) return { findings, shape };
  const trained: { parameters: StoredBytes | null } = { parameters: null };
  await ifAsked("train", async () => {
    const answer = await client.train({ parameters: null, dataset, config, round: 0 }, options);
    const parameters = answer.blobs.parameters ?? null;
    trained.parameters = parameters;
    const examples = answer.fields.num_examples;
    const size = parameters === null ? "empty parameters" : formatBytes(parameters.byteLength);
    const weight =
      typeof examples === "number" ? `${examples} examples` : "no num_examples, so all participants have equal weight";
    note("train", "ok", `${size} in ${formatDuration(answer.durationMs)}, ${weight}`);
  });
  const { parameters } = trained;
  if (parameters !== null) shape = await checkFormat(parameters);
  await ifAsked("evaluate", async () => {
    const answer = await client.evaluate({ parameters, dataset, config, round: 0 }, options);
    note(
      "evaluate",
      "ok",
      `accuracy ${formatScore(Number(answer.fields.accuracy))} in ${formatDuration(answer.durationMs)}`,
    );
  });
  await ifAsked("aggregate", async () => {
    if (parameters === null) return note("aggregate", "skipped", "no parameters to aggregate");
    const answer = await client.aggregate({ parametersList: [parameters, parameters], config, round: 0 }, options);
    const length = answer.blobs.parameters?.byteLength ?? 0;
    await answer.blobs.parameters?.dispose();
    if (length === parameters.byteLength) return note("aggregate", "ok", `two identical sets: ${formatBytes(length)}`);
    const text = `two sets of ${formatBytes(parameters.byteLength)} resulted in ${formatBytes(length)}`;
    note("aggregate", "failed", text, "Return parameters of the same shape as the input");
  });
  await parameters?.dispose();
  return { findings, shape };

  async function ifAsked(operation: Operation, work: () => Promise<unknown>): Promise<void> {
    if (roles.includes(operation)) await attempt(operation, work);
    else note(operation, "skipped", asked.roles === null ? "not registered" : "not in its roles");
  }

  async function attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof ParticipantCallError)) throw error;
      const isUnreachable = error.status === 0;
      const text = isUnreachable ? error.message : `${error.status} ${error.code}: ${error.message}`;
      const fix = describeFix(error.code, what, asked);
      findings.push({ participant: asked.id, what, state: "failed", text, fix, isUnreachable });
      return false;
    }
  }

  async function checkFormat(stored: StoredBytes): Promise<string | null> {
    if (asked.format === "opaque") {
      note("format", "skipped", "opaque: not inspected");
      return null;
    }
    try {
      const source = openTensors(await stored.bytes(), asked.format);
      const described = [...source.tensors].map(([name, info]) => describeTensor(name, info)).join(", ");
      note("format", "ok", `${source.format}, ${plural(source.tensors.size, "tensor")}`);
      source.close();
      return described;
    } catch (error) {
      const fix = `Use ${asked.format === "auto" ? "safetensors or npz" : asked.format}, or let a participant aggregate (by: participant, format: opaque)`;
      note("format", "failed", (error as Error).message, fix);
      return null;
    }
  }
}

const describeStatus = ({ sdk, formats }: ParticipantStatus) =>
  `${sdk || "responds"}, supports ${formats.join(" and ")}`;

const describeTensor = (name: string, { dtype, shape }: TensorInfo) => `${name} ${dtype} [${shape.join(",")}]`;
