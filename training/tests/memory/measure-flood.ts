import { once } from "node:events";
import { connect } from "node:net";
import { Exchange } from "../../conformance/play/exchange.ts";
import { type Sdk, Subject } from "../../conformance/play/subject.ts";
import type { MemoryFigure } from "./measure-echo.ts";
import { forgetPeak, readPeak, readResident } from "./process-memory.ts";

const LIMIT_BYTES = 32 * 1024 * 1024;
const FLOOD_BYTES = 1e9;
const PIECE_BYTES = 64 * 1024;

/** Sends a chunked body, or a body with a declared length of a gigabyte, to a participant whose limit is far lower. */
export async function measureFlood(sdk: Sdk, form: "endless" | "gigabyte", most: number): Promise<MemoryFigure> {
  const subject = await Subject.start(sdk, { options: { limits: { maxJsonBytes: LIMIT_BYTES } } });
  try {
    await new Exchange(subject.port, { path: "/healthz" }).answer;
    const idleBytes = readResident(subject.pid);
    forgetPeak(subject.pid);
    const answer = await flood(subject.port, form);
    if (!answer.startsWith("HTTP/1.1 413 ")) throw new Error(`${sdk} answers a ${form} body with ${answer}`);
    const health = await new Exchange(subject.port, { path: "/healthz" }).answer;
    if (health.status !== 200) throw new Error(`${sdk} is not healthy after a ${form} body`);
    const peakBytes = readPeak(subject.pid);
    const times = (peakBytes - idleBytes) / LIMIT_BYTES;
    return { sdk, what: `${form} body refused`, baseBytes: LIMIT_BYTES, idleBytes, peakBytes, times, most };
  } finally {
    await subject.stop();
  }
}

/** Writes until the participant responds, and returns the status line. */
async function flood(port: number, form: "endless" | "gigabyte"): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let answer = "";
  let wake = Promise.withResolvers<void>();
  socket.on("data", (text: string) => {
    answer += text;
    wake.resolve();
  });
  // The participant may close the connection after its response. Only the response matters.
  for (const event of ["drain", "close", "error"]) socket.on(event, () => wake.resolve());
  await once(socket, "connect");
  const isOver = () => answer !== "" || socket.destroyed;
  for (const piece of writeFlood(form)) {
    wake = Promise.withResolvers();
    if (!isOver() && !socket.write(piece)) await wake.promise;
    if (isOver()) break;
  }
  wake = Promise.withResolvers();
  if (!isOver()) await wake.promise;
  socket.destroy();
  return answer.split("\r\n")[0] ?? "";
}

function* writeFlood(form: "endless" | "gigabyte"): Iterable<Buffer> {
  const isEndless = form === "endless";
  const length = isEndless ? "transfer-encoding: chunked" : `content-length: ${FLOOD_BYTES}`;
  yield Buffer.from(`POST /train HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n`);
  const wrap = (bytes: Buffer) =>
    isEndless ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]) : bytes;
  yield wrap(Buffer.from('{"parameters":"'));
  const piece = wrap(Buffer.alloc(PIECE_BYTES, "QUJD"));
  for (let sent = 0; sent < FLOOD_BYTES; sent += PIECE_BYTES) yield piece;
}
