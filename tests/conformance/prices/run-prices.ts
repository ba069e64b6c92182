import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { type DevInstance, startDev } from "@tollgate/testkit/processes/start-instance.ts";
import type { Report } from "@tollgate/testkit/report.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { catalogCases } from "./catalog-cases.ts";
import { compareWithLitellm, type LitellmSummary, recordLitellm, titleOf } from "./compare-with-litellm.ts";
import { imageCases } from "./image-cases.ts";
import { openAiCases, openAiRefusals } from "./openai-cases.ts";
import { otherCases, otherRefusals } from "./other-cases.ts";
import type { PriceCase, RefusalCase } from "./price-case.ts";
import { toolCases, toolRefusals } from "./tool-cases.ts";

export interface PricesSummary {
  readonly passed: number;
  readonly failed: number;
  /** The providers' charges that requests did not pay, in nano-USD. */
  readonly underchargedNano: string;
  /** Number of conditions and tools, counted once per provider. */
  readonly conditions: number;
  /** The hold of a request, divided by its charge, at the median. */
  readonly medianHoldRatio: number;
  readonly litellm: LitellmSummary;
}

export interface PricesOptions {
  /** True to run LiteLLM, installing it if necessary, and update its recorded costs. */
  readonly isLive: boolean;
  /** True to update the page of differences; false to only check it. */
  readonly writes: boolean;
}

/** Maximum of the hold, divided by the charge, at the median. A hold that is always large would never be too small. */
const MAX_MEDIAN_HOLD_RATIO = 3;

const cases: readonly PriceCase[] = [...openAiCases, ...otherCases, ...toolCases, ...catalogCases, ...imageCases];
const refusals: readonly RefusalCase[] = [...openAiRefusals, ...otherRefusals, ...toolRefusals];

/**
 * Sends a request for each condition and tool to a scripted provider, and compares the charge with the provider's, with
 * the hold, and with LiteLLM's cost. Then checks that requests without a price are refused, and that the error names the
 * setting.
 */
export async function runPrices(report: Report, { isLive, writes }: PricesOptions): Promise<PricesSummary> {
  const before = { passed: report.passed, failed: report.failed };
  const folder = await mkdtemp(join(tmpdir(), "tollgate-prices-"));
  const upstream = await startFakeUpstream();
  upstream.behaves((exchange) => answerTo(exchange.request.path)(exchange));
  let underchargedNano = 0n;
  const ratios: number[] = [];
  try {
    if (isLive) await recordLitellm(cases, (index) => nameOf("case", index), upstream.origin);
    const settings = describeSettings(upstream.origin);
    const tollgate = await startDev({ folder, settings, env: { TOLLGATE_LOG_LEVEL: "warn" } });
    try {
      await untilReady(tollgate);
      for (const [index, one] of cases.entries()) {
        await report.check("prices", titleOf(one), async () => {
          const model = one.pattern?.model ?? nameOf("case", index);
          const hold = await holdOf(tollgate, one, model);
          const charged = await chargeOf(tollgate, one, model);
          if (charged < one.nanoUsd) underchargedNano += one.nanoUsd - charged;
          if (charged !== one.nanoUsd) throw new Error(`charged ${charged} nano-USD instead of ${one.nanoUsd}`);
          if (hold < charged) throw new Error(`held only ${hold} nano-USD for a charge of ${charged}`);
          ratios.push(Number(hold) / Number(charged));
          return `held ${(Number(hold) / Number(charged)).toFixed(2)} times the charge`;
        });
      }
      await report.check("prices", `holds are at most ${MAX_MEDIAN_HOLD_RATIO} times the charge at the median`, () => {
        const median = medianOf(ratios);
        if (!(median <= MAX_MEDIAN_HOLD_RATIO)) throw new Error(`the median is ${median}`);
        return `${median} at the median, ${Math.max(...ratios).toFixed(1)} at most`;
      });
      for (const [index, one] of refusals.entries()) {
        await report.check("prices", `${one.provider}: ${one.tool} without a price is refused`, () =>
          expectRefusal(tollgate, one, nameOf("refusal", index)),
        );
      }
    } finally {
      await tollgate.stop();
    }
  } finally {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
  const litellm = await compareWithLitellm(cases, report, writes);
  return {
    passed: report.passed - before.passed,
    failed: report.failed - before.failed,
    underchargedNano: underchargedNano.toString(),
    conditions: new Set(cases.map(titleOf)).size,
    medianHoldRatio: medianOf(ratios),
    litellm,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return Number((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(2));
}

const nameOf = (kind: string, index: number): string => `${kind}-${index}`;

/** Returns the script for a case, whose name is in the path. */
function answerTo(path: string): Behavior {
  const index = Number(/\/case-(\d+)[/:]/.exec(path)?.[1]);
  const response = cases[index]?.response;
  if (response === undefined) return reply(500, { error: { message: `no case at ${path}` } });
  return Array.isArray(response) ? streamFrames(response as readonly string[]) : reply(200, response);
}

/** Describes one model group per case, each at its own path of the upstream. */
function describeSettings(origin: string): string {
  const group = (name: string, one: PriceCase | RefusalCase) => {
    const { model, params, info = {} } = one;
    const pattern = "pattern" in one ? one.pattern : undefined;
    const url = `${origin}/${name}`;
    const base = model.startsWith("bedrock/") ? { aws_bedrock_runtime_endpoint: url } : { api_base: url };
    return { model_name: pattern?.group ?? name, litellm_params: { model, ...base, ...params }, model_info: info };
  };
  const list = [
    ...cases.map((one, index) => group(nameOf("case", index), one)),
    ...refusals.map((one, index) => group(nameOf("refusal", index), one)),
  ];
  // YAML contains JSON.
  return JSON.stringify({ model_list: list });
}

const START_LIMIT_MS = 120_000;

/** Waits until the ledger answers. On a slow machine, it can start after the server. */
async function untilReady(tollgate: DevInstance): Promise<void> {
  const [first] = cases;
  if (first === undefined) return;
  await waitFor("the ledger", () => holdOf(tollgate, first, nameOf("case", 0)), { limitMs: START_LIMIT_MS });
}

const operations: Readonly<Record<PriceCase["path"], string>> = {
  "/v1/chat/completions": "chat.completions",
  "/v1/images/generations": "images.generations",
  "/v1/messages": "messages",
  "/v1/responses": "responses",
};

/** Returns the hold of a request. The deployment has served no request yet, so the tier of its account is unknown. */
async function holdOf(tollgate: DevInstance, { path, request }: PriceCase, model: string): Promise<bigint> {
  const { stream: _, ...body } = request;
  const answer = await post(tollgate, `/utils/cost_quote?operation=${operations[path]}`, { model, ...body });
  const found = (await answer.json()) as { readonly hold_nano_usd?: number };
  if (found.hold_nano_usd === undefined) throw new Error(`no quote: ${JSON.stringify(found)}`);
  return BigInt(found.hold_nano_usd);
}

async function chargeOf(tollgate: DevInstance, one: PriceCase, model: string): Promise<bigint> {
  const answer = await send(tollgate, one, model);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${text}`);
  const header = answer.headers.get("x-gw-response-cost-nano-usd");
  // A stream's headers are sent before its cost is known.
  return one.request.stream === true ? chargeOfStream(tollgate, answer) : BigInt(header ?? -1);
}

const SETTLE_LIMIT_MS = 60_000;
const POLL_MS = 100;

/** Reads the charge of a stream from LiteLLM's spend log, which has the call once it is settled. */
async function chargeOfStream({ baseUrl, masterKey }: DevInstance, answer: Response): Promise<bigint> {
  const id = answer.headers.get("x-gw-call-id");
  const until = Date.now() + SETTLE_LIMIT_MS;
  while (Date.now() < until) {
    const logs = await fetch(`${baseUrl}/spend/logs?request_id=${id}`, {
      headers: { authorization: `Bearer ${masterKey}` },
    });
    const rows = logs.ok ? ((await logs.json()) as readonly { readonly spend?: number }[]) : [];
    const spend = rows[0]?.spend;
    if (spend !== undefined) return BigInt(Math.round(spend * 1e9));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("the stream was not settled");
}

async function expectRefusal(tollgate: DevInstance, one: RefusalCase, model: string): Promise<void> {
  const answer = await send(tollgate, one, model);
  const text = await answer.text();
  if (answer.status !== 400) throw new Error(`status ${answer.status}: ${text}`);
  if (!text.includes(one.setting)) throw new Error(`the error doesn't name ${one.setting}: ${text}`);
}

function send(
  tollgate: DevInstance,
  { path, request }: Pick<PriceCase, "path" | "request">,
  model: string,
): Promise<Response> {
  return post(tollgate, path, { model, ...request });
}

function post({ baseUrl, apiKey }: DevInstance, path: string, body: object): Promise<Response> {
  return fetch(baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
