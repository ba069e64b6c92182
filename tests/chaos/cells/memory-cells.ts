import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext } from "../cell.ts";
import type { Stage } from "../stage/stage.ts";
import { writePrompt } from "../upstream/instructions.ts";
import { describeGateway } from "./gateway-cells.ts";
import { underLoad } from "./under-load.ts";

/** Heap limit of a gateway while many clients don't read. */
const SMALL_HEAP = "--max-old-space-size=256";
const READERS = 2_000;
const OPENED_TOGETHER = 100;

export const memoryCells: readonly Cell[] = [
  {
    id: "F5",
    title: "gateway: low memory, with two thousand clients that do not read",
    run: async (stage, context) => {
      await stage.tollgate.restart({ nodeOptions: SMALL_HEAP });
      const before = [0, 1].map((index) => describeGateway(stage, index).pid);
      const expectation = { mostFailed: 0.5, recoveryMs: 5_000, settleLimitMs: 90_000, rateFactor: 0.5 };
      const result = await underLoad(stage, context, expectation, async (until) => {
        const sockets: Socket[] = [];
        await context.schedule.during("open clients that do not read", async () => {
          for (let opened = 0; opened < READERS; opened += OPENED_TOGETHER) {
            for (let each = 0; each < OPENED_TOGETHER; each += 1) sockets.push(openIdleReader(stage, context));
            await pause(50);
          }
          await pause(Math.max(5_000, until - performance.now()));
          for (const socket of sockets) socket.destroy();
        });
      });
      const after = [0, 1].map((index) => describeGateway(stage, index).pid);
      await stage.tollgate.restart({ nodeOptions: "" });
      const hasDied = before.some((pid, index) => pid !== after[index]);
      return { ...result, problems: [...result.problems, ...(hasDied ? ["a gateway ran out of memory"] : [])] };
    },
  },
];

/** Opens a connection that requests a long stream and never reads it. These calls are not counted. */
function openIdleReader(stage: Stage, { random }: CellContext): Socket {
  const tenant = random.pick(stage.tenants.filter(({ isPoor }) => !isPoor));
  const nonce = `idle-${random.integer(0, 1_000_000_000)}`;
  const content = writePrompt({ nonce, chunks: 100, gapMs: 20, tokensPerChunk: 400, delayMs: 5 });
  const body = JSON.stringify({
    model: "reporting",
    stream: true,
    max_tokens: 50_000,
    messages: [{ role: "user", content }],
  });
  const socket = connect(stage.tollgate.port, "127.0.0.1", () => {
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nx-gw-api-key: ${tenant.apiKey}\r\n` +
        `x-gw-call-id: ${nonce}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
  socket.on("error", () => {});
  socket.pause();
  return socket;
}
