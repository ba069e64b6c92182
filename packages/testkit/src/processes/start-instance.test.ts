import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { isAlive } from "./program.ts";
import { type DevOptions, startDev } from "./start-instance.ts";

/** Options that start this script in place of `tollgate`. */
const scripted = (script: string): DevOptions => ({ command: [process.execPath, "-e", script] });

const READY = 'console.log(JSON.stringify({ baseUrl: "http://127.0.0.1:1", apiKey: "sk-1" }));';

test("waits for the ready line, collects the other output, and stops the program", async () => {
  const instance = await startDev(
    scripted(`
      console.error("before");
      setTimeout(() => { ${READY} }, 50);
      setInterval(() => {}, 1000);
      process.on("SIGTERM", () => process.exit(7));
    `),
  );
  const { program, folder, ready } = instance;
  expect(ready).toEqual({ baseUrl: "http://127.0.0.1:1", apiKey: "sk-1" });
  expect(instance.readLog()).toBe("before\n");
  const { pid } = program;
  expect(await instance.stop()).toBe(7);
  expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]);
});

test("passes only PATH, HOME, and the given variables", async () => {
  process.env.PROVIDER_KEY = "sk-of-a-developer";
  const instance = await startDev({
    ...scripted(`console.error(Object.keys(process.env).sort().join()); ${READY} setInterval(() => {}, 1000);`),
    env: { TOLLGATE_LOG_LEVEL: "warn" },
  });
  delete process.env.PROVIDER_KEY;
  expect(instance.readLog()).toBe("HOME,PATH,TOLLGATE_LOG_LEVEL\n");
  await instance.kill();
});

test("rejects with the output of a program that ends before it is ready", async () => {
  await expect(startDev(scripted('console.error("no such file"); process.exit(2);'))).rejects.toThrow("no such file");
});
