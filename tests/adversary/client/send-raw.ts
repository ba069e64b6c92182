import { connect } from "node:net";

/** The answer to raw bytes on one connection. */
interface RawReply {
  /** Statuses of the final responses, in order. */
  readonly statuses: readonly number[];
  readonly text: string;
  /** False if the server kept the connection open until the time limit. */
  readonly isClosed: boolean;
}

const LIMIT_MS = 20_000;
/** Time without an answer after which the client ends its side. Until then, the server may run further requests. */
const QUIET_MS = 600;

/**
 * Sends bytes in the given parts and reads until the server closes the connection. Ends the sending side when the given
 * number of responses has arrived, or when the server is quiet. Then every request that the server found in the bytes
 * has a response.
 */
export function sendRaw(port: number, parts: readonly string[], responses: number | null = null): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let text = "";
    let isOpen = false;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      clearTimeout(quiet);
      socket.destroy();
      resolve({ statuses: readStatuses(text), text, isClosed });
    };
    const timer = setTimeout(() => finish(false), LIMIT_MS);
    const end = () => {
      if (socket.writable) socket.end();
    };
    let quiet: NodeJS.Timeout | undefined;
    const awaitQuiet = () => {
      clearTimeout(quiet);
      if (responses === null) quiet = setTimeout(end, QUIET_MS);
      else if (readStatuses(text).length >= responses) end();
    };
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
      awaitQuiet();
    });
    socket.once("end", () => finish(true));
    socket.once("error", (error) => {
      // A server that isn't there refuses nothing.
      if (!isOpen) reject(error);
      // A server that refuses bytes may reset the connection while they are being sent.
      finish(true);
    });
    socket.once("connect", () => {
      isOpen = true;
      void writeParts(parts);
    });
    const writeParts = async (waiting: readonly string[]) => {
      for (const part of waiting) {
        // One turn of the event loop between two writes, so that they arrive apart.
        await new Promise((sent) => setImmediate(sent));
        if (socket.writable) socket.write(part, "latin1");
      }
      awaitQuiet();
    };
  });
}

/** Splits the received bytes into responses by their lengths, and returns the statuses of all but interim responses. */
function readStatuses(text: string): readonly number[] {
  const statuses: number[] = [];
  let rest = text;
  for (;;) {
    const start = /^HTTP\/1\.[01] (\d{3})/.exec(rest);
    const end = rest.indexOf("\r\n\r\n");
    if (start === null || end === -1) return statuses;
    const head = rest.slice(0, end);
    rest = rest.slice(end + 4);
    const status = Number(start[1]);
    if (status >= 200) statuses.push(status);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) rest = rest.slice(Number(length));
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) rest = skipChunks(rest);
  }
}

function skipChunks(text: string): string {
  let rest = text;
  for (;;) {
    const size = Number.parseInt(rest, 16);
    const line = rest.indexOf("\r\n");
    if (line === -1 || Number.isNaN(size)) return "";
    if (size === 0) return rest.slice(rest.indexOf("\r\n\r\n", line) + 4);
    rest = rest.slice(line + 2 + size + 2);
  }
}
