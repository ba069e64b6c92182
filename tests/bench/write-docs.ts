import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FleetReport } from "../simulate/fleet/fleet-options.ts";
import type { ModelData } from "./model/model-report.ts";
import {
  writeCauseTable,
  writeCheckTable,
  writeFleetTable,
  writeInputTable,
  writeSizingTable,
} from "./model/write-tables.ts";
import { type PeersData, toMarkdown } from "./peers/peers-report.ts";

// Writes measured figures into the documentation. The tables are between two comments and are generated from
// docs/benchmarks/data, so that no figure is typed by hand.

const docs = join(import.meta.dirname, "../../docs");

async function main(): Promise<void> {
  const model = readData<ModelData>("model.json");
  const fleet = readData<FleetReport & { points: FleetReport[]; kept_to_few_gateways: FleetReport }>("fleet.json");
  const peers = readData<PeersData>("peers.json");
  if (model !== null) {
    fill("scaling.md", "inputs", writeInputTable(model));
    fill("scaling.md", "checks", writeCheckTable(model));
    fill("scaling.md", "sizing", await writeSizingTable(model));
  }
  if (fleet !== null) {
    fill("scaling.md", "fleet", writeFleetTable(fleet));
    fill("scaling.md", "causes", writeCauseTable(fleet));
  }
  if (peers !== null) fill("benchmarks/peers.md", "peers", toMarkdown(peers));
}

function readData<Data>(name: string): Data | null {
  const path = join(docs, "benchmarks/data", name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Data) : null;
}

function fill(page: string, block: string, text: string): void {
  const path = join(docs, page);
  const before = readFileSync(path, "utf8");
  const [begin, end] = [`<!-- measured: ${block} -->`, `<!-- end of ${block} -->`];
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for ${block}`);
  writeFileSync(path, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
  console.log(`${page}: ${block}`);
}

await main();
