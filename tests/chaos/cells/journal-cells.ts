import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { Program } from "@tollgate/testkit/processes/program.ts";
import type { Cell } from "../cell.ts";
import { underLoad } from "./under-load.ts";

export const journalCells: readonly Cell[] = [
  {
    id: "TWO",
    title: "gateway: a second instance with the same journals is refused",
    run: async (stage, context) => {
      const { tollgate, folder } = stage;
      let isRefused = false;
      const result = await underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async () => {
        const own = join(folder, "second");
        mkdirSync(own, { recursive: true });
        const second = new Program({
          name: "second",
          folder: own,
          launch: async () => tollgate.describeSecond(await choosePort()),
          probe: () => Promise.resolve(),
        });
        await second.launch();
        const deadline = performance.now() + 30_000;
        while (!isRefused && performance.now() < deadline) {
          await pause(200);
          isRefused = second.hasPrinted("in use by another process");
        }
        await second.stop("SIGTERM", 5_000);
      });
      const problems = isRefused ? [] : ["the second installation was not refused"];
      return { ...result, problems: [...result.problems, ...problems] };
    },
  },
];
