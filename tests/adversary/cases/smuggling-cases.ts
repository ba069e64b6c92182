import { sql } from "kysely";
import { openPlatform } from "../../chaos/stage/account.ts";
import { SEPARATOR } from "../books/call-rows.ts";
import { type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import { signUpPerson } from "../client/ask-platform.ts";
import { sendRaw } from "../client/send-raw.ts";
import { writeSettings } from "../models.ts";
import type { AdversaryStage } from "../stage/stage.ts";
import { script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const TOGETHER = 12;
const PIPELINED = 8;

export const smugglingCases: readonly Case[] = [
  {
    name: "smuggling-gateway",
    promise:
      "A request hidden in the body, the trailers, or ambiguous framing of another never runs, on any gateway route",
    guards: "row 13, strict framing",
    isQuick: true,
    run: smuggleIntoGateway,
  },
  {
    name: "smuggling-platform",
    promise: "The same for the management API and the console, with the token of another user",
    guards: "row 13, strict framing",
    isQuick: true,
    run: smuggleIntoPlatform,
  },
  {
    name: "pipelined-keys",
    promise:
      "Pipelined requests with different keys are charged to their own keys, in order, also with foreign trailers",
    guards: "row 13, one identity per request",
    isQuick: true,
    run: pipelineKeys,
  },
  {
    name: "smuggling-node-parser",
    promise: "All of this holds with `http_parser: node`",
    guards: "row 13, strict framing",
    isQuick: false,
    isAlone: true,
    run: smuggleIntoNodeParser,
  },
];

/** How a request is framed ambiguously. `hidden` is the request that must not run. */
interface Form {
  readonly name: string;
  /** Header lines in addition to the route's own, with their line ends. */
  readonly framing: string;
  readonly body: string;
  /** True if the form is well formed, so that the carrier may be answered and later requests on the connection too. */
  readonly isPlain?: boolean;
}

const CHUNKED = "transfer-encoding: chunked\r\n";

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Returns the forms. A parser that reads one of them the other way finds the hidden request. */
function ambiguousForms(hidden: string): readonly Form[] {
  const both = (coding: string, length: number | string) => `content-length: ${length}\r\n${coding}\r\n`;
  const ended = `0\r\n\r\n${hidden}`;
  const inChunk = `${chunk(hidden)}0\r\n\r\n`;
  const sizeLine = `${hidden.length.toString(16)}\r\n`;
  const chunked = "transfer-encoding: chunked";
  const forms: readonly (readonly [string, string, string])[] = [
    ["CL.TE", both(chunked, ended.length), ended],
    ["CL.TE, coding first", `${chunked}\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["TE.CL", both(chunked, sizeLine.length), inChunk],
    ["TE.CL, coding first", `${chunked}\r\ncontent-length: ${sizeLine.length}\r\n`, inChunk],
    ["CL.TE, other case", both("Transfer-Encoding: Chunked", ended.length), ended],
    ["CL.TE, identity", both("transfer-encoding: identity", 0), hidden],
    ["CL.0", "content-length: 0\r\ncontent-length: 10\r\n", hidden],
    ["two lengths", `content-length: ${hidden.length}\r\ncontent-length: 0\r\n`, hidden],
    ["two equal lengths", "content-length: 0\r\ncontent-length: 0\r\n", hidden],
    ["length list", `content-length: 0, ${hidden.length}\r\n`, hidden],
    ["signed length", "content-length: +0\r\n", hidden],
    ["negative length", "content-length: -1\r\n", hidden],
    ["hexadecimal length", "content-length: 0x0\r\n", hidden],
    ["length with a space in it", "content-length: 0 0\r\n", hidden],
    ["huge length", "content-length: 18446744073709551616\r\n", hidden],
    ["space before the colon", `transfer-encoding : chunked\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["tab before the colon", `transfer-encoding\t: chunked\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["underscore", `transfer_encoding: chunked\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["unknown coding", "transfer-encoding: xchunked\r\n", ended],
    ["two codings", "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n", ended],
    ["coding list", "transfer-encoding: gzip, chunked\r\n", ended],
    ["coding twice in a list", "transfer-encoding: chunked, chunked\r\n", ended],
    ["quoted coding", 'transfer-encoding: "chunked"\r\n', ended],
    ["vertical tab", "transfer-encoding: \x0bchunked\r\n", ended],
    ["null byte", "transfer-encoding: chunked\x00\r\n", ended],
    ["folded coding", "transfer-encoding:\r\n chunked\r\n", ended],
    ["folded length", `x-folded: a\r\n content-length: 0\r\ncontent-length: ${hidden.length}\r\n`, hidden],
    ["bare line feed in a header", `x-split: a\n${chunked}\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["bare carriage return in a header", `x-split: a\r${chunked}\r\ncontent-length: ${ended.length}\r\n`, ended],
    ["bare line feed ends the head", "content-length: 5\r\nx-last: 1\n\n", hidden],
    ["line without a colon", "content-length: 0\r\nno colon\r\n", hidden],
    ["line feed in a chunk size", `${chunked}\r\n`, `2\n{}\n0\n\n${hidden}`],
    ["chunk extension with a line feed", `${chunked}\r\n`, `2;a=\n${hidden}\r\n{}\r\n0\r\n\r\n`],
    ["chunk size beyond 64 bits", `${chunked}\r\n`, `10000000000000002\r\n{}\r\n0\r\n\r\n${hidden}`],
    ["signed chunk size", `${chunked}\r\n`, `+2\r\n{}\r\n0\r\n\r\n${hidden}`],
    ["chunk size with a prefix", `${chunked}\r\n`, `0x2\r\n{}\r\n0\r\n\r\n${hidden}`],
    ["chunk without its line end", `${chunked}\r\n`, `2\r\n{}0\r\n\r\n${hidden}`],
    ["length in a trailer", `${chunked}\r\n`, `2\r\n{}\r\n0\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`],
    ["coding in a trailer", `${chunked}\r\n`, `2\r\n{}\r\n0\r\ntransfer-encoding: chunked\r\n\r\n${hidden}`],
    ["folded trailer", `${chunked}\r\n`, `2\r\n{}\r\n0\r\nx-a: 1\r\n ${hidden}`],
    ["upgrade", "connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 0\r\n", hidden],
    ["unknown expectation", `expect: 100-continue, x\r\ncontent-length: 0\r\n`, hidden],
  ];
  const plain: readonly (readonly [string, string, string])[] = [
    ["in a counted body", `content-length: ${hidden.length}\r\n`, hidden],
    ["in a chunk", `${chunked}\r\n`, inChunk],
    // With 32 bits, the size would be 2.
    ["in a chunk of 4 GiB", `${chunked}\r\n`, `100000002\r\n{}\r\n0\r\n\r\n${hidden}`],
    [
      "in a chunk extension",
      `${chunked}\r\n`,
      `2;${hidden.slice(0, 40).replaceAll(/[^a-z]/gi, "x")}\r\n{}\r\n0\r\n\r\n`,
    ],
  ];
  return [
    ...forms.map(([name, framing, body]) => ({ name, framing, body })),
    ...plain.map(([name, framing, body]) => ({ name, framing, body, isPlain: true })),
  ];
}

/** A request that carries another, without its framing. */
interface Carrier {
  readonly line: string;
  readonly headers: string;
}

interface Smuggling {
  readonly port: number;
  readonly carriers: readonly Carrier[];
  readonly hidden: string;
}

/** Sends every form on every route. Returns what was answered more than once or kept open. */
async function smuggle({ random, isQuick }: CaseContext, { port, carriers, hidden }: Smuggling): Promise<string[]> {
  const problems: string[] = [];
  const sent = carriers.flatMap((carrier) =>
    ambiguousForms(hidden).flatMap((form) => {
      const bytes = `${carrier.line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${carrier.headers}${form.framing}\r\n${form.body}`;
      const cut = random.integer(1, bytes.length - 1);
      const deliveries = [[bytes], [bytes.slice(0, cut), bytes.slice(cut)]];
      return (isQuick ? [random.pick(deliveries)] : deliveries).map((parts) => ({ carrier, form, parts }));
    }),
  );
  await inBatches(sent, TOGETHER, async ({ carrier, form, parts }) => {
    const { statuses, isClosed } = await sendRaw(port, parts);
    const where = `${carrier.line}, ${form.name}`;
    if (!isClosed) problems.push(`${where}: the connection stays open`);
    if (statuses.length > 1) problems.push(`${where}: answered ${statuses.join(" and ")}`);
    // A route that needs no body is answered before the body, and then the connection closes.
    const isUnread = carrier.line.startsWith("GET") && form.framing === CHUNKED;
    if (form.isPlain !== true && !isUnread && statuses.some((status) => status < 400 || status >= 500)) {
      problems.push(`${where}: accepted with ${statuses.join()}`);
    }
  });
  return problems;
}

const chatBody = (nonce: string) =>
  JSON.stringify({
    model: "mind",
    max_tokens: 64,
    messages: [{ role: "user", content: `Count for ${nonce} please.` }],
  });

function chatRequest(apiKey: string, nonce: string): string {
  const body = chatBody(nonce);
  const lines = [
    "POST /v1/chat/completions HTTP/1.1",
    "host: 127.0.0.1",
    `x-gw-api-key: ${apiKey}`,
    `x-gw-call-id: ${nonce}${SEPARATOR}0`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function smuggleIntoGateway(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const [attacker, victim] = [await context.addTenant(), await context.addTenant()];
  const nonce = context.nonce();
  const headers = `x-gw-api-key: ${attacker.apiKey}\r\ncontent-type: application/json\r\n`;
  const lines = ["POST /v1/chat/completions", "POST /key/generate", "GET /v1/models", "POST /no/such/route"];
  const problems = await smuggle(context, {
    port: stage.tollgate.port,
    carriers: lines.map((line) => ({ line, headers })),
    hidden: chatRequest(victim.apiKey, nonce),
  });
  const ran = stage.hostile.attemptsOf(nonce).length;
  if (ran > 0) problems.push(`${ran} hidden requests reached the upstream`);
  return { calls: [], problems };
}

async function smuggleIntoPlatform(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  await openPlatform(stage);
  const [attacker, victim] = [await signUpPerson(stage), await signUpPerson(stage)];
  const name = `Hidden ${context.nonce()}`;
  const body = JSON.stringify({ name });
  const hidden =
    `POST /api/gw/teams HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${victim.token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const headers = `authorization: Bearer ${attacker.token}\r\ncontent-type: application/json\r\n`;
  const lines = ["POST /api/auth/token/refresh", "POST /api/gw/teams", "GET /api/auth/me", "GET /ui/", "POST /no/such"];
  const problems = await smuggle(context, {
    port: stage.tollgate.platformPort,
    carriers: lines.map((line) => ({ line, headers })),
    hidden,
  });
  const { rows } = await sql`select id from teams where name = ${name}`.execute(stage.ledger);
  if (rows.length > 0) problems.push(`${rows.length} hidden requests created a team`);
  return { calls: [], problems };
}

async function pipelineKeys(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const tenants = [await context.addTenant(), await context.addTenant()] as const;
  const problems: string[] = [];
  const sent: { readonly nonce: string; readonly organizationId: string }[] = [];
  const open = (index: 0 | 1, headDelayMs = 0) => {
    const { apiKey, organizationId } = tenants[index];
    const nonce = context.nonce();
    stage.hostile.expect(nonce, script({ headDelayMs }));
    sent.push({ nonce, organizationId });
    return { apiKey, nonce };
  };
  await inBatches(Array.from({ length: PIPELINED }), PIPELINED, async () => {
    // The first response is the slowest, so that responses out of order would show.
    const first = open(0, 150);
    const second = open(1);
    const third = open(0);
    const requests = [first, second, third].map(({ apiKey, nonce }) => chatRequest(apiKey, nonce));
    const { statuses, text } = await sendRaw(stage.tollgate.port, [requests.join("")], requests.length);
    const order = [first, second, third].map(({ nonce }) => text.indexOf(`x-gw-call-id: ${nonce}${SEPARATOR}0`));
    const isInOrder = order.every((at, index) => at > (order[index - 1] ?? -1));
    if (statuses.join() !== "200,200,200" || !isInOrder) problems.push(`a pipeline was answered ${statuses.join()}`);
  });
  for (const trailer of ["x-gw-api-key", "authorization", "x-gw-call-id", "host"]) {
    const { apiKey, nonce } = open(0);
    const value = trailer === "authorization" ? `Bearer ${tenants[1].apiKey}` : tenants[1].apiKey;
    const head = chatRequest(apiKey, nonce).split("\r\n\r\n")[0] ?? "";
    const request = head.replace(/content-length: \d+/, "transfer-encoding: chunked");
    const body = `${chunk(chatBody(nonce))}0\r\n${trailer}: ${value}\r\n\r\n`;
    const { statuses } = await sendRaw(stage.tollgate.port, [`${request}\r\n\r\n${body}`], 1);
    if (statuses.join() !== "200") problems.push(`a trailer ${trailer} was answered ${statuses.join()}`);
  }
  // The judge waits for the charges. This waits for the rows, to compare their owners.
  const owners = await readOwners(
    stage,
    sent.map(({ nonce }) => nonce),
  );
  for (const { nonce, organizationId } of sent) {
    const owner = owners.get(nonce);
    if (owner !== organizationId) problems.push(`${nonce} was charged to ${owner ?? "no organization"}`);
  }
  return { calls: sent.map(exactly), problems };
}

const ROWS_LIMIT_MS = 15_000;

async function readOwners({ ledger }: AdversaryStage, nonces: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const labels = nonces.map((nonce) => `${nonce}${SEPARATOR}0`);
  const deadline = performance.now() + ROWS_LIMIT_MS;
  for (;;) {
    const { rows } = await sql<{ label: string; owner: string }>`
      select request_id as label, organization_id as owner from usage_events
      where request_id in (${sql.join(labels)})`.execute(ledger);
    if (rows.length >= labels.length || performance.now() > deadline) {
      return new Map(rows.map(({ label, owner }) => [label.slice(0, -`${SEPARATOR}0`.length), owner]));
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

async function smuggleIntoNodeParser(context: CaseContext): Promise<CaseOutcome> {
  const { hostile, tollgate } = context.stage;
  const settings = (general: string) => ({ fileText: writeSettings(hostile.url, hostile.prices, general) });
  await tollgate.restartGateways(settings("http_parser: node"));
  try {
    const outcomes = [await smuggleIntoGateway(context), await pipelineKeys(context)];
    return {
      calls: outcomes.flatMap(({ calls }) => calls),
      problems: outcomes.flatMap(({ problems = [] }) => problems),
    };
  } finally {
    await tollgate.restartGateways(settings(""));
  }
}
