import { expect, test } from "vitest";
import { readElements, readErrorCode } from "./s3-xml.ts";
import { openScriptedStore } from "./scripted-store.fixture.ts";

const REPETITIONS = 20_000;

test.for(["<Code ", "<Code>", "<Code", "<Code <", "<Code/", "</Code>"])(
  "reads a document of many unclosed elements in time that is proportional to its size: %s",
  (element) => {
    const userTimeOf = (repetitions: number) => {
      const document = `<Error>${element.repeat(repetitions)}`;
      const { user } = process.cpuUsage();
      readErrorCode(document);
      return process.cpuUsage({ user, system: 0 }).user;
    };
    userTimeOf(10);
    // Quadratic time is thousands of milliseconds here, and linear time is a few.
    expect(userTimeOf(REPETITIONS)).toBeLessThan(500_000);
  },
);

test("reads elements with attributes and empty ones, and none whose name only starts the same", () => {
  expect(readElements('<Keys>1</Keys><Key a="b">2</Key><Key/><Key />', "Key")).toEqual(["2", "", ""]);
  expect(readElements("<Key>1</Key><Key>2", "Key")).toEqual(["1"]);
});

test("does not read an error of unlimited size", async () => {
  const body = `<Error>${" ".repeat(100_000)}<Code>ExpiredToken</Code></Error>`;
  const { storage } = await openScriptedStore(() => ({ status: 400, body }));
  await expect(storage.list("").next()).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.not.stringContaining("ExpiredToken"),
  });
});
