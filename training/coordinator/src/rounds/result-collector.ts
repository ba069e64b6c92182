import { type OpenTensors, openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import { IncompatibleParameters } from "@tollgate/participant/participant-failure.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";
import { CallFailure } from "../participants/call-failure.ts";
import { findLargestGroup, inspectResult } from "./inspect-result.ts";
import { answerLimit, readMetrics, readNumExamples, weightOf } from "./read-answer.ts";
import { participantOf, type RoundWork, recordFailure, requireCallFailure } from "./round-work.ts";

/** Collects results one by one and determines which of them are compatible. */
export class ResultCollector {
  readonly #work: RoundWork;
  readonly #template: OpenTensors | null;
  readonly #signatures = new Map<string, string>();
  readonly #asked = new Set<string>();

  constructor(work: RoundWork) {
    this.#work = work;
    const { base } = work.open.start;
    const { format } = work.plan.aggregate;
    this.#template = base === null || format === "opaque" ? null : openTensors(work.blobs.path(base), format);
  }

  /**
   * Inspects an earlier process's stored results again, because the journal doesn't have their signatures. A result
   * whose file was lost or no longer fits the plan is dropped and requested again.
   */
  async readStored(): Promise<void> {
    const { blobs, open } = this.#work;
    for (const { participant, sha256 } of [...open.results.values()]) {
      const signature = (await blobs.verify(sha256)) ? await this.#findSignature(sha256) : null;
      if (signature === null) open.results.delete(participant);
      else this.#signatures.set(participant, signature);
    }
  }

  /** Returns the selected participants that have neither responded nor failed. */
  waitingFor(): string[] {
    const { start, results, failures } = this.#work.open;
    return start.selected.filter((id) => !results.has(id) && !failures.has(id));
  }

  /** Returns the participants that were called and have not responded. Queued participants are not late. */
  late(): string[] {
    return this.waitingFor().filter((id) => this.#asked.has(id));
  }

  /** Returns participants with compatible results, in plan order, so that ties are never broken by speed. */
  fitting(): ReadonlySet<string> {
    const ids = this.#work.plan.participants.map(({ id }) => id).filter((id) => this.#signatures.has(id));
    return findLargestGroup(new Map(ids.map((id) => [id, this.#signatures.get(id) as string])));
  }

  members(): { participant: string; weight: number }[] {
    const { plan, open } = this.#work;
    const fitting = this.fitting();
    return plan.participants.flatMap(({ id }) => {
      const result = open.results.get(id);
      if (result === undefined || !fitting.has(id)) return [];
      return [{ participant: id, weight: plan.aggregate.weights === "equal" ? 1 : result.weight }];
    });
  }

  /** Resolves once the participant has responded or failed, and the outcome is durable. */
  async collect(id: string, signal: AbortSignal): Promise<void> {
    const { plan, log, blobs, fleet, open } = this.#work;
    const { round, base } = open.start;
    try {
      const participant = participantOf(plan, id);
      const answer = await fleet.call(id, {
        operation: "train",
        round,
        config: plan.config,
        parameters: base === null ? null : await blobs.read(base),
        timeoutMs: plan.round.trainTimeoutMs,
        maxAnswerBytes: this.#template === null ? undefined : answerLimit(this.#template.tensors),
        signal,
        onStart: () => {
          this.#asked.add(id);
          log.emit({ type: "participant.state", round, participant: id, state: "training" });
        },
      });
      const { sha256, byteLength } = await this.#store(answer.blobs.parameters ?? null);
      const numExamples = readNumExamples(answer.fields);
      const { signature, updateNorm } = await this.#inspect(sha256, signal);
      // A result that arrives while training closes is not in the weights, so drop it entirely.
      signal.throwIfAborted();
      const fact = {
        round,
        participant: id,
        sha256,
        byteLength,
        numExamples,
        metrics: readMetrics(answer.fields),
        durationMs: answer.durationMs,
        attempts: answer.attempts,
        updateNorm,
      };
      await log.record({ type: "result.received", weight: weightOf(numExamples, participant), ...fact });
      this.#signatures.set(id, signature);
      log.emit({ type: "result.received", ...fact });
      log.emit({ type: "participant.state", round, participant: id, state: "trained" });
    } catch (error) {
      signal.throwIfAborted();
      await recordFailure(this.#work, id, "train", requireCallFailure(error));
    }
  }

  /** Fails participants whose parameters differ from the template, or from the majority if there is no template. */
  async refuseMisfits(): Promise<void> {
    const fitting = this.fitting();
    for (const id of this.#signatures.keys()) {
      if (fitting.has(id) || this.#work.open.failures.has(id)) continue;
      const failure = new CallFailure("GARBAGE", "its parameters differ in name, shape, or type from the majority", 1);
      await recordFailure(this.#work, id, "train", failure);
    }
  }

  close(): void {
    this.#template?.close();
  }

  async #store(parameters: StoredBytes | null): Promise<{ sha256: string; byteLength: number }> {
    if (parameters === null || parameters.byteLength === 0) {
      throw new CallFailure("GARBAGE", "train returned no parameters", 1);
    }
    const { byteLength } = parameters;
    return { sha256: await this.#work.blobs.add(parameters), byteLength };
  }

  async #findSignature(sha256: string): Promise<string | null> {
    try {
      return (await this.#inspect(sha256, this.#work.signal)).signature;
    } catch (error) {
      requireCallFailure(error);
      return null;
    }
  }

  async #inspect(sha256: string, signal: AbortSignal): Promise<{ signature: string; updateNorm: number | null }> {
    const { plan, blobs } = this.#work;
    if (plan.aggregate.format === "opaque") return { signature: "opaque", updateNorm: null };
    try {
      return await inspectResult(blobs.path(sha256), plan.aggregate.format, this.#template, signal);
    } catch (error) {
      if (error instanceof IncompatibleParameters)
        throw new CallFailure("GARBAGE", `invalid parameters: ${error.message}`, 1);
      throw error;
    }
  }
}
