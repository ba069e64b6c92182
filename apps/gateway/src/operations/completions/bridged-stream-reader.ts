import { ChatStreamBridge } from "../chat-stream-bridge.ts";
import { type ChatHead, completionHead, finishReasonOf } from "./completion-head.ts";

const DATA = "data: ";

interface ChatChunk extends ChatHead {
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: object | null;
}

/** Reads a chat stream and writes each frame as a text completion frame. */
export class BridgedStreamReader extends ChatStreamBridge {
  protected override bridge(frames: string): string {
    return bridgeFrames(frames);
  }
}

function bridgeFrames(frames: string): string {
  if (frames === "") return "";
  let bridged = "";
  // Frames are complete, so they can be decoded as UTF-8. Escaped characters have no single-byte form.
  const text = Buffer.from(frames, "latin1").toString("utf8");
  for (const frame of text.split("\n\n")) bridged += bridgeFrame(frame);
  return Buffer.from(bridged, "utf8").toString("latin1");
}

/** Converts one frame. Drops a frame that only contains the role. Comments and the closing frame are unchanged. */
function bridgeFrame(frame: string): string {
  if (frame === "") return "";
  if (!frame.startsWith(`${DATA}{`)) return `${frame}\n\n`;
  const chunk = JSON.parse(frame.slice(DATA.length)) as ChatChunk;
  const choices = (chunk.choices ?? [])
    .filter(({ delta, finish_reason: reason }) => (delta?.content ?? "") !== "" || reason != null)
    .map((choice, place) => ({
      index: choice.index ?? place,
      text: choice.delta?.content ?? "",
      finish_reason: finishReasonOf(choice.finish_reason),
      logprobs: null,
    }));
  if (choices.length === 0 && chunk.usage == null) return "";
  const completion = {
    ...completionHead(chunk),
    choices,
    ...(chunk.usage !== undefined && { usage: chunk.usage }),
  };
  return `${DATA}${JSON.stringify(completion)}\n\n`;
}
