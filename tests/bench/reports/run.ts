import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { insertTeam } from "@tollgate/db/teams/insert-team.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { TestUser } from "@tollgate/platform/people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { quantile } from "../measure/statistics.ts";
import { undoAtEnd } from "../processes/clean-up.ts";
import { runBench } from "../run-bench.ts";
import { type FilledOrganization, fillUsage } from "./fill-usage.ts";
import { type ReportOptions, readOptions, usage } from "./options.ts";
import { listQuestions, type Question } from "./questions.ts";

// Measures the latency of logs and aggregates over a month of many calls, through a real platform.

const REQUIRED_LOGS_MS = 200;
const REQUIRED_USAGE_MS = 300;
const TEAMS = 10;
const KEYS = 40;

interface Figure {
  readonly name: string;
  readonly kind: Question["kind"];
  readonly p50Ms: number;
  readonly p95Ms: number;
}

async function bench({ rows, rounds, printsJson }: ReportOptions): Promise<boolean> {
  const database = await cloneDatabase();
  undoAtEnd(() => database.drop());
  const platform = await startTestPlatform(database);
  undoAtEnd(() => platform.close());
  const owner = await platform.addUser();
  const organization = await addKeys(platform, owner);
  const member = await platform.addMember(owner.organizationId, "member", {
    [organization.teamIds[2] as string]: "member",
  });
  console.log(`filling ${rows} calls`);
  await fillUsage(database.connectionString, organization, rows, (day) => process.stdout.write(day === 0 ? "\n" : "."));

  const figures: Figure[] = [];
  const samples: Record<Question["kind"], number[]> = { logs: [], usage: [], strip: [] };
  for (const asked of listQuestions(organization, new Date())) {
    const token = (asked.asMember ? member : owner).token;
    const question = asked.isNextPage ? await goOn(platform.url, asked, token) : asked;
    await ask(platform.url, question, token);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await ask(platform.url, question, token));
    samples[question.kind].push(...times);
    const figure = {
      name: question.name,
      kind: question.kind,
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
    };
    figures.push(figure);
    console.log(
      `${question.kind.padEnd(6)}${question.name.padEnd(32)}${figure.p50Ms.toFixed(0).padStart(6)} ms${figure.p95Ms.toFixed(0).padStart(6)} ms`,
    );
  }
  const [logsP95Ms, usageP95Ms] = [quantile(samples.logs, 0.95), quantile(samples.usage, 0.95)];
  const ok = logsP95Ms <= REQUIRED_LOGS_MS && usageP95Ms <= REQUIRED_USAGE_MS;
  console.log(`95 of 100 pages came within ${logsP95Ms.toFixed(0)} ms, sums within ${usageP95Ms.toFixed(0)} ms`);
  if (printsJson) console.log(JSON.stringify({ rows, rounds, logsP95Ms, usageP95Ms, figures, ok }));
  return ok;
}

/** Returns the same query for the next page. */
async function goOn(url: string, question: Question, token: string): Promise<Question> {
  const response = await fetch(url + question.path, { headers: { authorization: `Bearer ${token}` } });
  const { meta } = (await response.json()) as { meta: { nextCursor: string } };
  return { ...question, path: `${question.path}&cursor=${meta.nextCursor}` };
}

/** Returns the time from the request to the last byte of the response, or to the first bytes of a file. */
async function ask(url: string, { name, path }: Question, token: string): Promise<number> {
  const startedAtMs = performance.now();
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  if (response.headers.get("content-type") === "application/json") {
    await response.text();
    return performance.now() - startedAtMs;
  }
  const reader = response.body?.getReader();
  await reader?.read();
  const tookMs = performance.now() - startedAtMs;
  await reader?.cancel();
  return tookMs;
}

async function addKeys(platform: TestPlatform, owner: TestUser): Promise<FilledOrganization> {
  const { organizationId } = owner;
  const teamIds = Array.from({ length: TEAMS }, () => makePrefixedId("team", Date.now()));
  const keyIds = Array.from({ length: KEYS }, () => makePrefixedId("key", Date.now()));
  await runAsAdministrator(platform.services.db, async (transaction) => {
    for (const id of teamIds) await insertTeam(transaction, { id, organizationId, name: id });
    for (const [index, id] of keyIds.entries()) {
      const apiKey = makeApiKey();
      await insertKey(transaction, {
        id,
        organizationId,
        teamId: teamIds[index % TEAMS] as string,
        name: `key ${index}`,
        tokenHash: hashApiKey(apiKey),
        prefix: apiKey.slice(0, 8),
        lastFour: apiKey.slice(-4),
      });
    }
  });
  return { organizationId, teamIds, keyIds };
}

process.exitCode = await runBench({ usage, readOptions, bench });
