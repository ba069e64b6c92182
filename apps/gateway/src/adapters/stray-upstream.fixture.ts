import { createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * Maximum delay of unexpected bytes. Bytes that would be sent later are dropped, because the client couldn't
 * distinguish them from a response.
 */
const MAX_DELAY_MS = 8;

/** An upstream on its own thread, so that a busy client never delays it. */
interface StrayUpstream {
  readonly origin: string;
  close(): Promise<unknown>;
}

/**
 * Starts an upstream that answers each request with `for` and the request's body. After `delayMs`, it also sends an
 * unexpected response with `stray` and the same body. If `delayMs` is null, it sends both responses in one write.
 */
export async function startStrayUpstream(delayMs: number | null): Promise<StrayUpstream> {
  const worker = new Worker(import.meta.filename, { workerData: { delayMs } });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return { origin: `http://127.0.0.1:${port}`, close: () => worker.terminate() };
}

function serve(delayMs: number | null): void {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      const [, head, body = ""] = /^(.*?)\r\n\r\n(.*)$/s.exec(received) ?? [];
      const length = Number(/content-length: (\d+)/i.exec(head ?? "")?.[1]);
      if (!(body.length >= length)) return;
      received = "";
      answer(socket, body, delayMs);
    });
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as { port: number }).port));
}

function answer(socket: Socket, body: string, delayMs: number | null): void {
  const stray = write(`stray ${body}`);
  const answeredAtMs = performance.now();
  socket.write(write(`for ${body}`) + (delayMs === null ? stray : ""));
  if (delayMs === null) return;
  const isLate = () => performance.now() > answeredAtMs + MAX_DELAY_MS;
  setTimeout(() => socket.writable && !isLate() && socket.write(stray), delayMs);
}

const write = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

if (!isMainThread && workerData !== null && "delayMs" in workerData) {
  serve((workerData as { readonly delayMs: number | null }).delayMs);
}
