import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { loadCatalog, readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { signEdition } from "@tollgate/catalog/signed-catalog.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import type { OperatorCommand } from "../operator-io.ts";
import { pricesConfirm } from "./prices-confirm.ts";
import { pricesHistory } from "./prices-history.ts";
import { pricesReview } from "./prices-review.ts";
import { pricesUpdate } from "./prices-update.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const trusted = publicKey.export({ format: "der", type: "spki" }).toString("base64");
const disputedModel = loadCatalog()
  .models()
  .find(({ provider, disputes }) => provider === "openai" && disputes.length > 0)?.id as string;
const built = JSON.parse(readBuiltInCatalog()) as CatalogFile;

/** Returns an edition in which gpt-4o costs this much per input token. */
function edition(version: string, input: number): string {
  const models = built.models.map((model) =>
    model.id === "openai/gpt-4o" ? { ...model, prices: { ...model.prices, input } } : model,
  );
  return JSON.stringify({ ...built, version, pricesAsOf: "2026-11-15", models });
}

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    const settings = `prices: {publicKey: "${trusted}"}
model_list:
  - {model_name: fast, litellm_params: {model: openai/gpt-4o, api_key: unused}}
  - {model_name: deep, litellm_params: {model: ${disputedModel}, api_key: unused}}
`;
    writeFileSync(join(folder, "tollgate.yaml"), settings);
    return folder;
  })
  .extend("run", ({ database, folder }) => {
    const env = { DATABASE_URL: database.connectionString, TOLLGATE_CONFIG: join(folder, "tollgate.yaml") };
    return async (command: OperatorCommand, args: readonly string[], typed?: string | AsyncIterable<string>) => {
      let [out, err] = ["", ""];
      const stdout = { write: (text: string) => (out += text) };
      const stderr = { write: (text: string) => (err += text) };
      const stdin =
        typed === undefined
          ? {}
          : { stdin: Readable.from(typeof typed === "string" ? [typed] : typed) as unknown as NodeJS.ReadableStream };
      const code = await command(args, { stdout, stderr, env, cwd: folder, apps, ...stdin });
      return { code, out, err };
    };
  })
  .extend(
    "write",
    ({ folder }) =>
      (name: string, text: string) =>
        writeFileSync(join(folder, name), text),
  );

test("shows the difference, asks, applies, and keeps the history", async ({ run, write, database }) => {
  write("next.signed", signEdition(edition("2026-11.1", 3_000_000), privateKey));
  const shown = await run(pricesUpdate, ["next.signed", "--dry-run"]);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toContain("edition 2026-09.1 (2026-09-01) → 2026-11.1 (2026-11-15), signed with the key ");
  expect(shown.out).toMatch(/~ openai\/gpt-4o \(used by fast\)\n +input +\$2\.5 → \$3 {2}\(\+20 %\)/);
  expect(shown.out).toContain("1 models changed, 0 added, 0 removed; 1 in use");

  expect(await run(pricesUpdate, ["next.signed"], "n\n")).toMatchObject({ code: 2 });
  expect(await run(pricesUpdate, ["next.signed"])).toMatchObject({ code: 2 });
  expect((await run(pricesHistory, [])).out).toBe("  in effect: 2026-09.1, prices of 2026-09-01\n");

  expect((await run(pricesUpdate, ["next.signed"], "y\n")).out).toContain("✓ edition 2026-11.1 is in effect");
  expect((await run(pricesHistory, [])).out).toMatch(
    /^ {2}2026-11\.1 {2}prices of 2026-11-15 {2}applied \S+ {2}signed [0-9a-f]{16} {2}next\.signed\n {2}in effect: 2026-11\.1/,
  );
  const audit = await querySql(
    database.connectionString,
    "select action, after from audit_log where action = 'catalog.updated'",
  );
  expect(audit).toMatchObject([{ after: { edition: "2026-11.1", isSigned: true, changedModels: 1 } }]);

  const older = await run(pricesUpdate, ["next.signed", "--yes"]);
  expect(older.out).toContain("0 models changed");
  write("older.signed", signEdition(edition("2026-08.1", 2_000_000), privateKey));
  expect((await run(pricesUpdate, ["older.signed", "--yes"])).err).toContain("add --older");
  expect(await run(pricesUpdate, ["older.signed", "--yes", "--older"])).toMatchObject({ code: 0 });
  expect((await run(pricesHistory, [])).out).toContain("in effect: 2026-08.1");

  // It is later than the edition in effect, but earlier than the built-in one, which would apply instead.
  write("between.signed", signEdition(edition("2026-08.2", 2_100_000), privateKey));
  expect((await run(pricesUpdate, ["between.signed", "--yes"])).err).toContain("older than 2026-09.1");
  expect(await run(pricesUpdate, ["between.signed", "--yes", "--older"])).toMatchObject({ code: 0 });
  expect((await run(pricesHistory, [])).out).toContain("in effect: 2026-08.2");
});

test("does not apply an edition that was compared with one that is no longer in effect", async ({
  run,
  write,
  database,
}) => {
  write("older.signed", signEdition(edition("2026-11.1", 3_000_000), privateKey));
  write("newer.signed", signEdition(edition("2026-12.1", 4_000_000), privateKey));
  /** Answers the question after another operator applied the newer edition. */
  async function* answerLate() {
    expect(await run(pricesUpdate, ["newer.signed", "--yes"])).toMatchObject({ code: 0 });
    yield "y\n";
  }
  const late = await run(pricesUpdate, ["older.signed"], answerLate());
  expect(late).toMatchObject({ code: 1, err: expect.stringContaining("edition 2026-12.1 was applied meanwhile") });
  expect((await run(pricesHistory, [])).out).toContain("in effect: 2026-12.1");
  const applied = await querySql(
    database.connectionString,
    "select edition from catalog_editions order by id desc limit 1",
  );
  expect(applied).toEqual([{ edition: "2026-12.1" }]);
  const audited =
    "select target ->> 'id' as edition from audit_log where action = 'catalog.updated' order by seq desc limit 1";
  expect(await querySql(database.connectionString, audited)).toEqual([{ edition: "2026-12.1" }]);
  expect(await run(pricesUpdate, ["older.signed", "--yes"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--older"),
  });
});

test("rejects a file that another key signed, that was changed, or that is not signed", async ({
  run,
  write,
  database,
}) => {
  const text = edition("2026-12.1", 3_000_000);
  write("other", signEdition(text, generateKeyPairSync("ed25519").privateKey));
  write("changed", signEdition(text, privateKey).replace("3000000", "1000000"));
  write("plain", text);
  write("broken", signEdition("{}", privateKey));
  expect((await run(pricesUpdate, ["other", "--yes"])).err).toContain("this server trusts");
  expect((await run(pricesUpdate, ["changed", "--yes"])).err).toContain("its signature doesn't match its contents");
  expect((await run(pricesUpdate, ["plain", "--yes"])).err).toContain("add --unsigned");
  expect((await run(pricesUpdate, ["broken", "--yes"])).err).toContain("'version' is not an edition");
  expect((await run(pricesUpdate, ["missing", "--yes"])).err).toContain("no such file");
  expect(await run(pricesUpdate, ["plain", "--yes", "--unsigned"])).toMatchObject({ code: 0 });
  const audit = await querySql(
    database.connectionString,
    "select after from audit_log where action = 'catalog.updated' order by seq desc limit 1",
  );
  expect(audit).toMatchObject([{ after: { edition: "2026-12.1", isSigned: false, origin: "plain" } }]);
});

test("reads an edition from a URL on this machine, and requires HTTPS elsewhere", async ({ run, database }) => {
  const file = signEdition(edition("2026-12.2", 4_000_000), privateKey);
  const server = createServer((request, response) => {
    response.statusCode = request.url?.startsWith("/catalog") === true ? 200 : 404;
    response.end(file);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await run(pricesUpdate, [`${origin}/catalog?token=secret`, "--yes"])).toMatchObject({ code: 0 });
  // A token in the URL is not stored.
  const editions = "select origin from catalog_editions order by id desc limit 1";
  const audit =
    "select after ->> 'origin' as origin from audit_log where action = 'catalog.updated' order by seq desc limit 1";
  for (const stored of [editions, audit]) {
    expect(await querySql(database.connectionString, stored)).toEqual([{ origin: `${origin}/catalog` }]);
  }
  expect((await run(pricesUpdate, [`${origin}/nothing`, "--yes"])).err).toContain("returned status 404");
  expect((await run(pricesUpdate, ["http://example.org/catalog", "--yes"])).err).toContain("does not use HTTPS");
});

test("lists disputed prices that are in use, and no longer after a confirmation", async ({ run, database }) => {
  const listed = await run(pricesReview, ["--json"]);
  const report = JSON.parse(listed.out) as { models: { model: string; deployments: string[]; disputes: object[] }[] };
  expect(report.models).toMatchObject([{ model: disputedModel, deployments: ["deep"] }]);
  expect((await run(pricesReview, [])).out).toContain("(used by deep): the higher amount applies");
  expect((await run(pricesReview, ["--all"])).out).not.toContain("not shown");

  expect((await run(pricesConfirm, ["openai/gpt-4o"])).err).toContain("is not disputed");
  expect((await run(pricesConfirm, ["openai/none"])).err).toContain("has no model");
  expect(await run(pricesConfirm, [disputedModel, "--use", "second"])).toMatchObject({ code: 0 });
  expect((await run(pricesReview, [])).out).toContain("✓ 0 models with disputed prices");
  const audit = await querySql(
    database.connectionString,
    "select target, after from audit_log where action = 'catalog.price_confirmed'",
  );
  expect(audit).toMatchObject([{ target: { id: disputedModel }, after: { choice: "second" } }]);
});
