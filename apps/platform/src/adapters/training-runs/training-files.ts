import { constants, type Stats } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { standaloneSvg } from "@tollgate/coordinator/report/chart-theme.ts";
import { makeFigures } from "@tollgate/coordinator/report/make-figures.ts";
import { metricsCsv } from "@tollgate/coordinator/report/metrics-csv.ts";
import type { RunHistory } from "@tollgate/coordinator/run-history.ts";
import type { TrainingFile } from "../../training/training-source.ts";

/** Files that are generated from the journal on request, so that they also exist for unfinished runs. */
const madeFiles: Readonly<Record<string, { readonly contentType: string; make(history: RunHistory): string | null }>> =
  {
    "history.csv": { contentType: "text/csv; charset=utf-8", make: metricsCsv },
    "history.json": { contentType: "application/json", make: (history) => `${JSON.stringify(withoutUrls(history))}\n` },
    "accuracy.svg": { contentType: "image/svg+xml", make: accuracyChart },
  };

/** File name of the final parameters. The extension is the parameters' format, or base64. */
const FINAL_FILE = /^final\.[a-z0-9]{1,16}$/;

/** Lists the downloadable files of a run, with the sizes of the files on disk. */
export async function listFiles(dir: string): Promise<{ name: string; bytes: number | null }[]> {
  const made = Object.keys(madeFiles).map((name) => ({ name, bytes: null }));
  const names = (await readdir(dir)).filter((name) => FINAL_FILE.test(name)).toSorted();
  const kept = await Promise.all(names.map(async (name) => ({ name, stats: await lstat(join(dir, name)) })));
  return [...made, ...kept.flatMap(({ name, stats }) => (stats.isFile() ? [{ name, bytes: stats.size }] : []))];
}

/** Opens one of a run's files. Returns null for any name that isn't listed. */
export async function openFile(
  dir: string,
  name: string,
  readRun: () => Promise<RunHistory | string>,
): Promise<TrainingFile | null> {
  const made = Object.hasOwn(madeFiles, name) ? madeFiles[name] : undefined;
  if (made !== undefined) {
    const history = await readRun();
    const content = typeof history === "string" ? null : made.make(history);
    return content === null ? null : { contentType: made.contentType, content };
  }
  return FINAL_FILE.test(name) ? openKept(join(dir, name)) : null;
}

async function openKept(path: string): Promise<TrainingFile | null> {
  try {
    // Symbolic links are never followed.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats: Stats = await file.stat();
    if (stats.isFile()) return { contentType: "application/octet-stream", content: file.createReadStream() };
    await file.close();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ELOOP") return null;
    throw error;
  }
}

function accuracyChart(history: RunHistory): string | null {
  const figure = makeFigures(history).find(({ id }) => id === "accuracy");
  return figure === undefined ? null : standaloneSvg(figure.svg);
}

/** Removes participant URLs, which may contain credentials and aren't needed to interpret the metrics. */
function withoutUrls(history: RunHistory) {
  return { ...history, participants: history.participants.map(({ url: _, ...participant }) => participant) };
}
