import { join } from "node:path";
import { querySql } from "@tollgate/testkit/database.ts";
import type { Report } from "@tollgate/testkit/report.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { sendRedisCommand } from "../../chaos/stage/send-redis-command.ts";
import { canaries, LABEL } from "./canaries.ts";
import { CanaryFinder } from "./find-canaries.ts";
import { makeCalls, type Received } from "./make-calls.ts";
import { type Installation, startInstallation } from "./start-installation.ts";
import { listenToEventLog, type Swept, sweepDatabase, sweepFiles, sweepMessages } from "./sweep.ts";
import { usePlatform } from "./use-platform.ts";

export interface SecretsSummary {
  readonly canaries: number;
  readonly calls: number;
  readonly swept: readonly { readonly what: string; readonly items: number; readonly bytes: number }[];
  readonly hits: number;
}

/**
 * Plants a secret in every field that accepts one, uses the product with valid and invalid requests, and searches
 * everything it stored and sent.
 */
export async function runSecrets(report: Report): Promise<SecretsSummary> {
  const installation = await startInstallation();
  const eventLog = await listenToEventLog(installation.engines.natsUrl);
  try {
    const visit = await usePlatform(installation);
    const detector = new CanaryFinder({ ...canaries, ...visit.issued });
    const calls = await makeCalls(installation.url, visit.apiKey);
    await report.check("canary", "the calls were made, and recorded", () => expectRecorded(installation, calls));
    const swept = [
      sweepAnswers([...visit.received, ...calls], detector),
      await sweepDatabase(installation.administratorUrl, detector),
      sweepMessages(eventLog.messages, detector),
      ...(await sweepDisk(installation, detector)),
    ];
    for (const { what, items, bytes, hits } of swept) {
      const claim = `no secret in ${what}: ${items} searched, ${bytes} bytes`;
      report.record("canary", claim, hits.length === 0 ? null : [...new Set(hits)].slice(0, 30).join("\n"));
    }
    await report.check("canary", "the search finds what is meant to be found", async () => {
      expectFindable(installation, detector);
      const meant = new CanaryFinder({ label: LABEL });
      const recorded = [
        await sweepDatabase(installation.administratorUrl, meant),
        sweepMessages(eventLog.messages, meant),
        sweepFiles("journals", join(installation.folder, "product"), meant, []),
      ];
      const missed = recorded.filter(({ hits }) => hits.length === 0).map(({ what }) => what);
      if (missed.length > 0) throw new Error(`the label of calls was not found in: ${missed.join(", ")}`);
    });
    return {
      canaries: Object.keys(canaries).length + Object.keys(visit.issued).length,
      calls: calls.length + visit.received.length,
      swept: swept.map(({ what, items, bytes }) => ({ what, items, bytes })),
      hits: swept.reduce((sum, { hits }) => sum + hits.length, 0),
    };
  } finally {
    await eventLog.close();
    await installation.stop();
  }
}

/** A prompt may appear in its own response, but not in a refusal or anywhere else. */
function sweepAnswers(received: readonly Received[], detector: CanaryFinder): Swept {
  const hits = received.flatMap(({ what, status, bytes }) => {
    const found = detector.find(bytes, status === 200 ? ["prompt"] : []);
    return found.map((hit) => `${status} ${what}: ${hit}`);
  });
  const bytes = received.reduce((sum, one) => sum + one.bytes.length, 0);
  return { what: "answers and metrics", items: received.length, bytes, hits };
}

/** Search the disk last, after everything has been written. */
async function sweepDisk(installation: Installation, detector: CanaryFinder): Promise<readonly Swept[]> {
  const { folder, engines, settingsFile } = installation;
  await sendRedisCommand(engines.redisPort, "config set rdbcompression no");
  await sendRedisCommand(engines.redisPort, "save");
  await querySql(installation.administratorUrl, "checkpoint");
  await installation.stopProduct();
  return [
    sweepFiles("logs and journals", join(folder, "product"), detector, [settingsFile]),
    sweepFiles("files of the engines", folder, detector, [settingsFile]),
  ];
}

async function expectRecorded({ administratorUrl }: Installation, calls: readonly Received[]): Promise<void> {
  const served = calls.filter(({ status }) => status === 200).length;
  const refused = calls.filter(({ status }) => status >= 400).length;
  if (served < 50 || refused < 100) throw new Error(`only ${served} were served and ${refused} refused`);
  await waitFor(
    "the calls in the books",
    async () => {
      const [row] = await querySql<{ count: string }>(administratorUrl, "select count(*) from usage_events");
      return Number(row?.count ?? 0) >= served / 2;
    },
    { limitMs: 20_000 },
  );
}

/** Check that the search finds a value that is stored on purpose. */
function expectFindable({ settingsFile, folder }: Installation, detector: CanaryFinder): void {
  const { hits } = sweepFiles("settings", folder, detector, []);
  const names = hits.filter((hit) => hit.startsWith(settingsFile.slice(folder.length + 1)));
  if (names.length < 5) throw new Error(`only ${names.length} secrets were found in the settings file`);
}
