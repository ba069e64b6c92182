import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeCheckpointFile } from "@tollgate/db/ledger/checkpoints/checkpoint-folder.ts";
import { deliverCheckpoints, registerSinks } from "@tollgate/db/ledger/checkpoints/deliver-checkpoints.ts";
import { writeCheckpoints } from "@tollgate/db/ledger/checkpoints/write-checkpoints.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { PRICE, UNPRICED_MODEL, writeHistory } from "@tollgate/db/ledger/verify/ledger-history.fixture.ts";
import { migrate } from "@tollgate/db/migrate.ts";
import { uuidToCrockford } from "@tollgate/domain/ids.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { startEmbeddedPostgres } from "@tollgate/server/embedded-postgres/start-embedded-postgres.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import type { OperatorCommand } from "../operator-io.ts";
import { ledgerExplain } from "./ledger-explain.ts";
import { ledgerParked } from "./ledger-parked.ts";
import { ledgerReRate } from "./ledger-re-rate.ts";
import { ledgerRebuild } from "./ledger-rebuild.ts";
import { ledgerVerify } from "./ledger-verify.ts";

type Run = (command: OperatorCommand, ...args: string[]) => Promise<{ code: number; out: string; err: string }>;

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("run", ({ database, folder }): Run => runner({ DATABASE_URL: database.connectionString }, folder));

function runner(env: NodeJS.ProcessEnv, cwd: string): Run {
  return async (command, ...args) => {
    let [out, err] = ["", ""];
    const stdout = { write: (text: string) => (out += text) };
    const stderr = { write: (text: string) => (err += text) };
    const code = await command(args, { stdout, stderr, env, cwd, apps });
    return { code, out, err };
  };
}

test("verify prints every check, or one line of JSON with --json", async ({ history, run }) => {
  const shown = await run(ledgerVerify);
  expect(shown).toMatchObject({ code: 0, err: "" });
  for (const id of ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "I8"]) {
    expect(shown.out).toMatch(new RegExp(`^  ✓ ${id} `, "m"));
  }
  expect(shown.out).toContain(`3 organizations, ${history.events.length} requests`);
  const { code, out } = await run(ledgerVerify, "--json");
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n")).toHaveLength(1);
  const lost = history.events
    .filter(({ isBilled }) => isBilled)
    .flatMap(({ loss, lostAttempts }) => [loss, ...lostAttempts.map(({ cost }) => cost)]);
  const operatorLossNano = Number(lost.reduce((sum, amount) => sum + amount, 0n));
  const events = history.events.length;
  expect(JSON.parse(out)).toMatchObject({ ok: true, differences: 0, organizations: 3, events, operatorLossNano });
  expect(shown.out).toContain(`operator loss ${formatUsd(BigInt(operatorLossNano))} USD`);
});

test("verify accepts an admission policy and an overdraft, and rejects invalid values", async ({ history, run }) => {
  expect(history.events.length).toBeGreaterThan(0);
  expect((await run(ledgerVerify, "--admission", "positive", "--overdraft", "5000000000")).code).toBe(0);
  for (const overdraft of ["-1", "2.5", "5usd", "1000000000000001"]) {
    const refused = await run(ledgerVerify, `--overdraft=${overdraft}`);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining("--overdraft must be an integer in nano-USD"),
    });
  }
  expect(await run(ledgerVerify, "--admission", "always")).toMatchObject({ code: 2 });
  expect(await run(ledgerVerify, "--at-rest")).toMatchObject({ code: 2, err: expect.stringContaining("--quiescent") });
});

test("verify exits with 1 and lists differences, and rebuild corrects the totals that can be recomputed from postings", async ({
  history,
  run,
  database,
}) => {
  const { organizationId } = history.payer;
  const where = `where organization_id = '${organizationId}'`;
  await querySql(
    database.connectionString,
    `update organization_quota set leased = leased + 7, total_granted = total_granted - 5, total_purchased = total_purchased + 5 ${where}`,
  );
  const found = await run(ledgerVerify, "--organization", organizationId);
  expect(found.code).toBe(1);
  expect(found.out).toMatch(/✗ R5 .*\n\s+org_\w+ {2}leased\n\s+expected \d+, found \d+ {2}\(0\.000000007 USD\)/);
  expect(found.out).toContain("✗ 3 differences");
  expect(JSON.parse((await run(ledgerVerify, "--json")).out)).toMatchObject({ ok: false, differences: 3 });

  const looked = await run(ledgerRebuild, "--organization", organizationId);
  expect(looked).toMatchObject({ code: 0, err: "" });
  expect(looked.out).toMatch(/✗ leased /);
  expect(looked.out).toMatch(/✓ balance /);
  expect((await run(ledgerVerify)).code).toBe(1);
  expect((await run(ledgerRebuild, "--organization", organizationId, "--apply")).code).toBe(0);
  expect(await run(ledgerVerify)).toMatchObject({ code: 0 });
  const written = await querySql(
    database.connectionString,
    `select action, actor ->> 'type' as by from audit_log ${where} and action = 'credits.rebuilt'`,
  );
  expect(written).toEqual([{ action: "credits.rebuilt", by: "admin" }]);
});

test("an unreachable database is reported as an error, not as a difference", async ({ folder }) => {
  const run = runner({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, folder);
  expect(await run(ledgerVerify)).toMatchObject({
    code: 7,
    out: "",
    err: expect.stringContaining("connection refused"),
  });
  expect(await runner({}, folder)(ledgerVerify)).toMatchObject({
    code: 2,
    err: expect.stringContaining("DATABASE_URL"),
  });
  expect(await runner({}, folder)(ledgerVerify, "--data", folder)).toMatchObject({ code: 2 });
});

test("verify waits for a database that is slow to accept connections", async ({ database, folder, history: _ }) => {
  const url = new URL(database.connectionString);
  const target = Number(url.port);
  const slow = createServer((socket) => setTimeout(() => relay(socket, connect(target, "127.0.0.1")), 1_200));
  await once(slow.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void slow.close());
  url.port = String((slow.address() as AddressInfo).port);
  expect(await runner({ DATABASE_URL: url.toString() }, folder)(ledgerVerify)).toMatchObject({ code: 0, err: "" });
});

/** Passes all bytes between two sockets. */
function relay(one: Socket, other: Socket): void {
  for (const socket of [one, other]) socket.on("error", () => {});
  one.pipe(other).pipe(one);
}

test("verify reads the development instance's data folder whether or not the instance is running", async ({
  folder,
}) => {
  const run = runner({}, folder);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  await migrate(postgres.connectionString);
  const silent = `insert into gateway_nodes (node_id, epoch, alive_until, oldest_unconfirmed_at)
    values ('node_00000000000000000000000000', 1, now(), now() - interval '1 day')`;
  await querySql(postgres.connectionString, silent);
  try {
    expect(await run(ledgerVerify, "--data", folder)).toMatchObject({ code: 1, out: expect.stringContaining("✗ R4") });
  } finally {
    await postgres.stop();
  }
  // No gateway is running after the stop, so unconfirmed events are not a failure.
  expect(await run(ledgerVerify, "--data", folder)).toMatchObject({ code: 0, err: "" });
});

test("explain shows how a call's usage led to its posting, and finds the call by event ID in either format or by request ID", async ({
  history,
  run,
}) => {
  const [event, ...others] = history.events.slice(0, 3);
  if (event === undefined) throw new Error("there is no event");
  const shown = await run(ledgerExplain, event.id);
  expect(shown).toMatchObject({ code: 0, err: "" });
  const pico = { input: 1_000n * PRICE.input, cacheRead: 37n * 1_250_000n };
  for (const text of [
    history.priceVersionId,
    `1000 × 2500000 pico-USD = ${pico.input} pico-USD`,
    `37 × 1250000 pico-USD = ${pico.cacheRead} pico-USD`,
    `${event.cost} nano-USD = ${formatUsd(event.cost)} USD, charged`,
    `org:${history.payer.organizationId}:credits → sys:revenue`,
    `3 requests combined`,
    `${others.map(({ id }) => id).join(", ")}`,
    `${history.nodeId} epoch ${history.epoch}, active`,
    `key ${history.payer.keyId}, 1970-01-01T00:00:00.000Z to no end`,
  ]) {
    expect(shown.out).toContain(text);
  }
  expect((await run(ledgerExplain, `use_${uuidToCrockford(event.id)}`)).out).toBe(shown.out);
  const data = JSON.parse((await run(ledgerExplain, event.requestId, "--json")).out);
  expect(data).toMatchObject({ kind: "settled", id: event.id, cost: Number(event.cost) });
  const sum = data.units.reduce((total: bigint, { pico: part }: { pico: string }) => total + BigInt(part), 0n);
  expect((sum + 500n) / 1_000n).toBe(event.cost);
});

test("explain adds up units other than tokens and prices audio exactly, to a thousandth of a pico-USD per millisecond", async ({
  history,
  run,
}) => {
  const event = history.events.find(({ usage }) => usage.images > 0);
  if (event === undefined) throw new Error("there is no event");
  const shown = await run(ledgerExplain, event.id);
  const whole = 333n * 15_000_001n + 2n * 40_000_000_013n + 3n * 2_000_000_001n;
  const milli = whole * 1_000n + 12_345n * 100_000_003n;
  const decimal = (thousandths: bigint) =>
    `${thousandths / 1_000n}.${String(thousandths % 1_000n).padStart(3, "0")}`.replace(/\.?0+$/, "");
  for (const text of [
    "333 × 15000001 pico-USD = 4995000333 pico-USD",
    `12345 × 100000003 pico-USD / 1000 = ${decimal(12_345n * 100_000_003n)} pico-USD`,
    "2 × 40000000013 pico-USD = 80000000026 pico-USD",
    "3 × 2000000001 pico-USD = 6000000003 pico-USD",
    `${decimal(milli)} pico-USD, rounded by`,
    `${event.cost} nano-USD`,
  ]) {
    expect(shown.out).toContain(text);
  }
  expect(shown.out).not.toContain("audioInput");
});

test("explain shows the operator's share of the cost of a call and of its lost attempts", async ({ history, run }) => {
  const event = history.events.find(({ loss, lostAttempts }) => loss > 0n && lostAttempts.length === 2);
  const { code, out } = await run(ledgerExplain, event?.id ?? "");
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}loss +0\.\d+ USD of the price, paid by the operator$/m);
  expect(out).toMatch(
    /^ {2}lost attempt retry at simulated-2 \(simulated\): 0\.\d+ USD, paid by the operator \(txn_\w+\)$/m,
  );
  expect(out).toMatch(
    /^ {2}lost attempt timeout at simulated-2 \(simulated\): 0\.\d+ USD, paid by the operator \(txn_\w+\)$/m,
  );
  const unbilled = history.events.find(({ isBilled, lostAttempts }) => !isBilled && lostAttempts.length > 0);
  const { out: text } = await run(ledgerExplain, unbilled?.id ?? "");
  expect(text).toContain("paid by the operator (not posted: the request is not billed)");
});

test("explain reports a parked call with its reason, and an unknown call as not found", async ({ history, run }) => {
  const parked = await run(ledgerExplain, history.parkedId);
  expect(parked).toMatchObject({ code: 0 });
  expect(parked.out).toContain("unknown price version");
  expect(await run(ledgerExplain, "no-such-label")).toMatchObject({ code: 1, out: "" });
  expect(await run(ledgerExplain, "00000000-0000-7000-8000-000000000000")).toMatchObject({ code: 1, out: "" });
});

test("re-rate sums the cost of charged calls at different prices and rounds each call separately", async ({
  history,
  run,
  folder,
}) => {
  const { payer, events, priceVersionId } = history;
  writeFileSync(
    join(folder, "prices.yaml"),
    [
      "simulated/model: { input: 3.000001, output: 11, reasoningPico: 12000007 }",
      "simulated/units: { input: 1, output: 2, audioInput: 7, perCharacterPico: 1, perSecond: 0.5, perImage: 3, tierInput: 9, tierAbove: 200000 }",
    ].join("\n"),
  );
  const books = {
    "simulated/model": tokenPrice(3_000_001n, 11_000_000n, { reasoning: 12_000_007n }),
    "simulated/units": tokenPrice(1_000_000n, 2_000_000n, {
      audioInput: 7_000_000n,
      perCharacter: 1n,
      perSecond: 500_000n,
      perImage: 3_000_000n,
      tier: { aboveInputTokens: 200_000, input: 9_000_000n, output: null, cacheRead: null, cacheWrite: null },
    }),
  };
  const charged = events.filter(({ isBilled, organizationId }) => isBilled && organizationId === payer.organizationId);
  const lineOf = (model: keyof typeof books) => {
    const calls = charged.filter(
      (event) => (event.priceVersionId === priceVersionId) === (model === "simulated/model"),
    );
    const cost = calls.reduce((total, event) => total + event.cost, 0n);
    // Re-rating doesn't change the operator's share of a call's cost.
    const reRated = calls.reduce((total, { usage, loss }) => total + priceCall(usage, books[model]) - loss, 0n);
    return { model, calls: calls.length, charged: Number(cost), reRated: Number(reRated) };
  };
  const period = ["--from", "2020-01-01", "--to", new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)];
  const asked = [...period, "--prices", "prices.yaml", "--organization", payer.organizationId];
  const { code, out } = await run(ledgerReRate, ...asked, "--json");
  expect(code).toBe(0);
  const lines = [lineOf("simulated/model"), lineOf("simulated/units")].map((line) => ({
    ...line,
    difference: line.reRated - line.charged,
    organizationId: payer.organizationId,
    callsWithoutPrice: 0,
  }));
  expect(lines.every(({ calls }) => calls > 2)).toBe(true);
  const total = (kind: "charged" | "reRated" | "difference") => lines.reduce((sum, line) => sum + line[kind], 0);
  const totals = { charged: total("charged"), reRated: total("reRated"), difference: total("difference") };
  expect(JSON.parse(out)).toMatchObject({ ...totals, lines });

  writeFileSync(
    join(folder, "prices.yaml"),
    JSON.stringify({ model: { input: 0, output: 0 }, [priceVersionId]: { inputPico: 0, outputPico: 0 } }),
  );
  expect(JSON.parse((await run(ledgerReRate, ...asked, "--json")).out)).toMatchObject({ reRated: 0 });
  writeFileSync(join(folder, "prices.yaml"), "another/model: { input: 1, output: 2 }");
  expect(JSON.parse((await run(ledgerReRate, ...asked, "--json")).out)).toMatchObject({
    difference: 0,
    lines: lines.map(({ calls }) => ({ callsWithoutPrice: calls })),
  });
});

test.for([
  ["model: { input: 1 }", "requires input and output"],
  ["model: { input: 1, output: 0.0000001 }", "more precise than one pico-USD"],
  ["model: { input: -1, output: 1 }", "not a number greater than or equal to 0"],
  ["model: { input: 1, output: 1, outputs: 2 }", "unknown price 'outputs'"],
  ["model: { input: 1, inputPico: 1, output: 1 }", "both input and inputPico"],
  ["- 1", "not a mapping"],
  ["{}", "contains no prices"],
] as const)("rejects a price book that contains '%s'", async ([text, reason], { run, folder }) => {
  writeFileSync(join(folder, "prices.yaml"), text);
  const { code, err } = await run(
    ledgerReRate,
    "--from",
    "2026-01-01",
    "--to",
    "2026-01-02",
    "--prices",
    "prices.yaml",
  );
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(reason) });
});

test("a parked event is listed, can be redriven once its price is known, and is charged once", async ({
  history,
  run,
  database,
}) => {
  const listed = await run(ledgerParked, "list");
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.out).toContain(`${history.parkedId}  `);
  expect((await run(ledgerParked, "redrive", history.parkedId)).code).toBe(1);

  const version = { id: priceVersionId(UNPRICED_MODEL, PRICE), model: UNPRICED_MODEL, price: PRICE };
  await ensurePriceVersions(database.connect("tollgate_worker"), [version]);
  expect(await run(ledgerParked, "redrive", history.parkedId)).toMatchObject({ code: 0 });
  expect(await run(ledgerParked, "redrive", history.parkedId)).toMatchObject({ code: 1 });
  expect((await run(ledgerParked)).out).toContain("no parked events");
  expect(JSON.parse((await run(ledgerExplain, history.parkedId, "--json")).out)).toMatchObject({ kind: "settled" });
  expect(await run(ledgerVerify)).toMatchObject({ code: 0 });
});

test("verify compares the ledger with a checkpoint folder, and names what is wrong with it", async ({
  history,
  database,
  folder,
  run,
}) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const other = generateKeyPairSync("ed25519");
  const target = join(folder, "checkpoints");
  const worker = database.connect("tollgate_worker");
  await registerSinks(worker, [{ kind: "folder", target }]);
  await writeCheckpoints(worker, { key: privateKey, now: new Date(), retentionDays: 400 });
  const sink = { kind: "folder", target } as const;
  await deliverCheckpoints(worker, { ...sink, deliver: (checkpoint) => writeCheckpointFile(target, checkpoint) });
  writeFileSync(join(folder, "key.pem"), publicKey.export({ format: "pem", type: "spki" }));
  writeFileSync(join(folder, "other.txt"), other.publicKey.export({ format: "der", type: "spki" }).toString("base64"));
  const verify = (...args: string[]) => run(ledgerVerify, "--checkpoints", ...args);

  const clean = await verify("checkpoints", "--public-key", "key.pem");
  expect(clean).toMatchObject({ code: 0, err: "" });
  for (const id of ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"])
    expect(clean.out).toMatch(new RegExp(`^  ✓ ${id} `, "m"));
  expect(await verify("checkpoints", "--public-key", "key.pem", "--public-key", "other.txt")).toMatchObject({
    code: 0,
  });

  const wrong = await verify("checkpoints", "--public-key", "other.txt");
  expect(wrong.code).toBe(1);
  expect(wrong.out).toMatch(/checkpoint 1\n.*found replaced: signed by the key [0-9a-f]{16}/);
  const missing = await verify("elsewhere", "--public-key", "key.pem");
  expect(missing.code).toBe(1);
  expect(missing.out).toContain("missing: no such folder");
  expect(await verify("checkpoints")).toMatchObject({ code: 2, err: expect.stringContaining("Add --public-key") });
  expect(await verify("checkpoints", "--public-key", "none.pem")).toMatchObject({ code: 2 });
  expect(await run(ledgerVerify, "--public-key", "key.pem")).toMatchObject({ code: 2 });
  const { organizationId } = history.payer;
  expect(await verify("checkpoints", "--organization", organizationId)).toMatchObject({ code: 2 });
  for (const name of readdirSync(target)) rmSync(join(target, name));
  expect((await verify("checkpoints", "--public-key", "key.pem")).out).toContain("missing: no checkpoint in it");
});
