import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "@tollgate/testkit/report.ts";
import { findDifferences } from "./find-differences.ts";
import { type Observations, observeLitellm, observeTollgate } from "./observe.ts";
import { titleOf } from "./question.ts";
import { questions } from "./questions/questions.ts";
import { reasons } from "./reasons/reasons.ts";
import type { RequestFields } from "./request-fields.ts";
import { type Row, rowsOf } from "./rows.ts";
import { writeTable } from "./write-table.ts";

/** Recorded LiteLLM responses. */
interface Recording {
  readonly version: string;
  readonly fields: RequestFields;
  readonly observations: Observations;
}

export interface OracleSummary {
  readonly version: string;
  readonly operations: number;
  readonly questions: number;
  readonly differences: number;
}

export interface OracleOptions {
  /** True to run LiteLLM, installing it if necessary, and update the recording. */
  readonly isLive: boolean;
  /** True to update the page of differences; false to only check it. */
  readonly writes: boolean;
}

const RECORDING = join(import.meta.dirname, "litellm.generated.json");
const TABLE = join(import.meta.dirname, "../../../docs/migrate/litellm-differences.md");

/** Sends the recorded questions to Tollgate. A difference without a reason is a failure. */
export async function runOracle(report: Report, options: OracleOptions): Promise<OracleSummary> {
  const { version, fields, observations: theirs } = await (options.isLive ? record() : readRecording());
  const { observations: ours, unheeded } = await observeTollgate(questions, fields);
  const rows: Row[] = [];
  for (const question of questions) {
    const title = titleOf(question);
    const [left, right] = [theirs[title], ours[title]];
    if (left === undefined || right === undefined) {
      report.record("oracle", title, "No LiteLLM response is recorded for this question. Run with --oracle.");
      continue;
    }
    const found = rowsOf(question, findDifferences(left, right));
    rows.push(...found);
    report.record("oracle", title, describeUnexplained(found));
  }
  for (const [scenario, names] of Object.entries(unheeded)) {
    const named = { operation: "request fields", scenario };
    const found = rowsOf(named, names.length === 0 ? [] : [{ place: "fields", theirs: names, ours: undefined }]);
    rows.push(...found);
    report.record("oracle", titleOf(named), describeUnexplained(found));
  }
  const unused = reasons.filter((reason) => !rows.some((row) => row.reason === reason));
  const idle = unused.map(({ name }) => `no difference has this reason: ${name}`).join("\n");
  report.record("oracle", "every reason explains a difference", idle || null);
  await renewTable(writeTable(rows, questions.length, version), options.writes, report);
  const operations = new Set(questions.map(({ operation }) => operation)).size;
  return { version, operations, questions: questions.length, differences: rows.length };
}

async function record(): Promise<Recording> {
  const { version, fields, observations } = await observeLitellm(questions);
  // Write one line per question, so that a diff shows which questions changed.
  const lines = Object.entries(observations).map(([title, seen]) => `${JSON.stringify(title)}:${JSON.stringify(seen)}`);
  const known = Object.entries(fields).map(([name, all]) => `${JSON.stringify(name)}:${JSON.stringify(all)}`);
  const text = `"fields":{\n${known.join(",\n")}\n},"observations":{\n${lines.join(",\n")}\n}`;
  await writeFile(RECORDING, `{"version":${JSON.stringify(version)},${text}}\n`);
  return { version, fields, observations };
}

async function readRecording(): Promise<Recording> {
  return JSON.parse(await readFile(RECORDING, "utf8")) as Recording;
}

async function renewTable(text: string, writes: boolean, report: Report): Promise<void> {
  if (writes) return writeFile(TABLE, text);
  const isSame = (await readFile(TABLE, "utf8").catch(() => "")) === text;
  const problem = "The page is outdated. Run bin/pnpm conformance --only oracle --write and review the changes.";
  report.record("oracle", "docs/migrate/litellm-differences.md is up to date", isSame ? null : problem);
}

function describeUnexplained(rows: readonly Row[]): string | null {
  const open = rows.filter(({ reason }) => reason === null);
  if (open.length === 0) return null;
  return open.map(({ place, theirs, ours }) => `${place}: LiteLLM ${theirs}, Tollgate ${ours}`).join("\n");
}
