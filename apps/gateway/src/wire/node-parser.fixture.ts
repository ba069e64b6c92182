import { createRequire } from "node:module";

/** The parts of Node's HTTP parser that its types don't declare. */
interface NodeParser {
  [on: number]: (...args: never[]) => unknown;
  initialize(kind: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
}

const { HTTPParser } = createRequire(import.meta.url)("node:_http_common") as {
  readonly HTTPParser: (new () => NodeParser) &
    Readonly<
      Record<"REQUEST" | "RESPONSE" | "kOnHeaders" | "kOnHeadersComplete" | "kOnBody" | "kOnMessageComplete", number>
    >;
};

/** The first message in some bytes, as Node's parser reads it. */
export interface NodeMessage {
  /** The method's number and the target of a request, and the status of a response. */
  method: number;
  target: string;
  status: number;
  /** Alternating names and values. */
  rawHeaders: string[];
  isUpgrade: boolean;
  keepsAlive: boolean;
  body: string;
  isComplete: boolean;
}

export const POST = 3;

/** Parses with Node's parser, as its own HTTP server and client do. Returns null if the parser refuses the bytes. */
export function parseWithNode(kind: "REQUEST" | "RESPONSE", bytes: string, isClosed: boolean): NodeMessage | null {
  const messages: NodeMessage[] = [];
  let early: string[] = [];
  const parser = new HTTPParser();
  parser.initialize(HTTPParser[kind], {});
  parser[HTTPParser.kOnHeaders] = (headers: string[]) => {
    early.push(...headers);
  };
  parser[HTTPParser.kOnHeadersComplete] = (...args: unknown[]) => {
    const [, , headers, method, target, status, , isUpgrade, keepsAlive] = args;
    messages.push({
      method: Number(method),
      target: String(target),
      status: Number(status),
      rawHeaders: [...early, ...((headers as string[] | undefined) ?? [])],
      isUpgrade: isUpgrade === true,
      keepsAlive: keepsAlive === true,
      body: "",
      isComplete: false,
    });
    early = [];
    return 0;
  };
  parser[HTTPParser.kOnBody] = (piece: Buffer) => {
    (messages.at(-1) as NodeMessage).body += piece.toString("latin1");
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    (messages.at(-1) as NodeMessage).isComplete = true;
  };
  const taken = parser.execute(Buffer.from(bytes, "latin1"));
  const ended = isClosed && typeof taken === "number" ? parser.finish() : undefined;
  // What follows a complete message may be invalid: it is another message.
  const [first] = messages;
  if (first?.isComplete === true) return first;
  return typeof taken !== "number" || ended instanceof Error ? null : (first ?? null);
}
