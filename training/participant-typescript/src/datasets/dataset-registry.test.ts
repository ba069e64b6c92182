import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { JsonValue, Row } from "../handlers.ts";
import { DatasetRegistry } from "./dataset-registry.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "datasets-"));
  await writeFile(join(folder, "rows.csv"), "x,label\n1,a\n2,b\n");
  await writeFile(join(folder, "rows.jsonl"), '{"x":1}\n\n{"x":2}');
  await writeFile(join(folder, "rows.json"), '[{"x":1},{"x":2}]');
  return () => rm(folder, { recursive: true });
});

const rowsOf = (registry: DatasetRegistry, dataset: JsonValue): Promise<Row[]> =>
  Array.fromAsync(registry.open(dataset).rows());

test("rows in the request are used unchanged", async () => {
  const rows: Row[] = [{ image: "aGk=", label: 3 }, { nested: { deep: [1, null] } }];
  expect(await rowsOf(new DatasetRegistry(undefined, {}), rows)).toEqual(rows);
});

test.each(["rows.csv", "rows.jsonl", "rows.json"])(
  "without a dataset in the request, the participant's own file is used: %s",
  async (name) => {
    const rows = await rowsOf(new DatasetRegistry(join(folder, name), {}), null);
    expect(rows.map(({ x }) => x)).toEqual([1, 2]);
  },
);

test("without any dataset, there are no rows", async () => {
  expect(await rowsOf(new DatasetRegistry(undefined, {}), null)).toEqual([]);
});

describe("a dataset name", () => {
  const registry = () =>
    new DatasetRegistry(undefined, {
      plain: [{ x: 1 }, { x: 2 }, { x: 3 }],
      split: { splits: { train: () => [{ x: 4 }, { x: 5 }], test: [{ x: 6 }] } },
      lazy: { rows: join(folder, "rows.csv"), lazy: true },
    });

  test("resolves to that dataset's rows for the split and limit", async () => {
    expect(await rowsOf(registry(), { ref: "plain", limit: 2 })).toEqual([{ x: 1 }, { x: 2 }]);
    expect(await rowsOf(registry(), { ref: "split", split: "test" })).toEqual([{ x: 6 }]);
    expect(await rowsOf(registry(), { ref: "split", split: "train", limit: 1 })).toEqual([{ x: 4 }]);
  });

  test("resolves to a new array of rows, so that a function can reorder them", async () => {
    const plain = registry();
    (await plain.open({ ref: "plain" }).collect()).reverse();
    expect(await plain.open({ ref: "plain" }).collect()).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
    expect(await plain.open({ ref: "plain", limit: 2 }).collect()).toEqual([{ x: 1 }, { x: 2 }]);
    expect(await plain.open({ ref: "split", split: "train", limit: 1 }).collect()).toEqual([{ x: 4 }]);
    expect(await plain.open([{ x: 7 }]).collect()).toEqual([{ x: 7 }]);
  });

  test("of a lazy dataset resolves to rows that are read one by one", async () => {
    expect(registry().open({ ref: "lazy" }).isLazy).toBe(true);
    expect(registry().open({ ref: "plain" }).isLazy).toBe(false);
    expect(await rowsOf(registry(), { ref: "lazy" })).toHaveLength(2);
  });

  test.each([
    [{ ref: "nothing" }, "NOT_FOUND", 'unknown dataset "nothing"'],
    [{ ref: "toString" }, "NOT_FOUND", 'unknown dataset "toString"'],
    [{ ref: "split", split: "valid" }, "NOT_FOUND", 'dataset "split" has no split "valid"'],
    [{ ref: "split", split: "toString" }, "NOT_FOUND", 'dataset "split" has no split "toString"'],
    [{ ref: "plain", split: "train" }, "NOT_FOUND", 'dataset "plain" has no split "train"'],
    [{ ref: "split" }, "VALIDATION_ERROR", 'dataset "split" has splits; choose one of train, test'],
    [{ ref: "../rows.csv" }, "VALIDATION_ERROR", "dataset.ref must be a name"],
    [{ ref: "file:///etc/passwd" }, "VALIDATION_ERROR", "dataset.ref must be a name"],
    [{ ref: "http://169.254.169.254/" }, "VALIDATION_ERROR", "dataset.ref must be a name"],
    [{ ref: "x".repeat(65) }, "VALIDATION_ERROR", "dataset.ref must be a name"],
    [{ path: "/etc/passwd" }, "VALIDATION_ERROR", "dataset must be an array of objects"],
    ["plain", "VALIDATION_ERROR", "dataset must be an array of objects"],
    [[["x", 1]], "VALIDATION_ERROR", "dataset[0] must be an object"],
  ])("%j is rejected", (dataset, code, message) => {
    const attempt = () => registry().open(dataset);
    expect(attempt).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});

test("invalid options throw in the constructor", () => {
  expect(() => new DatasetRegistry("rows.txt", {})).toThrow("must end in .json, .jsonl, or .csv");
  expect(() => new DatasetRegistry(undefined, { "a/b": [] })).toThrow("is not a valid name");
  expect(() => new DatasetRegistry(5 as unknown as string, {})).toThrow("must be rows, a file, or a function");
});

test("the error for a malformed file names the file and the line", async () => {
  const file = join(folder, "broken.jsonl");
  await writeFile(file, '{"x":1}\n[2]\n');
  onTestFinished(() => rm(file));
  await expect(rowsOf(new DatasetRegistry(file, {}), null)).rejects.toThrow(`${file}: line 2 is not an object`);
  const missing = new DatasetRegistry(join(folder, "missing.csv"), {});
  await expect(rowsOf(missing, null)).rejects.toThrow("ENOENT");
});
