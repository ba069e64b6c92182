import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { Program } from "@tollgate/testkit/processes/program.ts";
import type { UpstreamRecord } from "./instructions.ts";
import type { Mood, WildCounts } from "./mood.ts";

export interface Upstream {
  readonly url: string;
  /** URL at which the same upstream misbehaves on command. */
  readonly wildUrl: string;
  /** Sets the behavior at the misbehaving URL. */
  setMood(mood: Mood): Promise<void>;
  /** Returns the traffic at the misbehaving URL since the start. */
  readWildCounts(): Promise<WildCounts>;
  readonly program: Program;
  /**
   * Returns the records of these calls, by nonce. A nonce has several records if the upstream was called more than
   * once.
   */
  readRecords(prefix: string): Map<string, UpstreamRecord[]>;
}

/** Starts the upstream in its own process. */
export async function startUpstream(folder: string): Promise<Upstream> {
  const own = join(folder, "upstream");
  mkdirSync(own, { recursive: true });
  const recordFile = join(own, "delivered.jsonl");
  const port = await choosePort();
  const wildPort = await choosePort();
  const url = `http://127.0.0.1:${port}`;
  const program = new Program({
    name: "upstream",
    folder: own,
    launch: () => ({
      command: process.execPath,
      args: [join(import.meta.dirname, "upstream.ts"), String(port), recordFile, String(wildPort)],
    }),
    probe: () => fetch(url, { headers: { connection: "close" } }),
  });
  await program.start();
  return {
    url,
    wildUrl: `http://127.0.0.1:${wildPort}`,
    program,
    readRecords: (prefix) => readRecords(recordFile, prefix),
    setMood: async (mood) => {
      const { status } = await fetch(`${url}/mood/${mood}`, { method: "PUT", headers: { connection: "close" } });
      if (status !== 204) throw new Error(`the upstream does not know how to be ${mood}`);
    },
    readWildCounts: async () => {
      const answer = await fetch(`${url}/counts`, { headers: { connection: "close" } });
      return (await answer.json()) as WildCounts;
    },
  };
}

function readRecords(file: string, prefix: string): Map<string, UpstreamRecord[]> {
  const records = new Map<string, UpstreamRecord[]>();
  const start = `{"nonce":"${prefix}`;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (!line.startsWith(start)) continue;
    const record = JSON.parse(line) as UpstreamRecord;
    const known = records.get(record.nonce);
    if (known === undefined) records.set(record.nonce, [record]);
    else known.push(record);
  }
  return records;
}
