import type { StreamGuard } from "../call/call.ts";
import type { Guard } from "./guard.ts";
import { dropLogprobs } from "./guarded-texts.ts";
import type { Delta, StreamEvent, StreamWire } from "./stream-wires.ts";
import type { Subject, TextWindow } from "./text-check.ts";

const DATA = "data: ";
/**
 * Maximum total size of the sent text that is stored, so that it can be repeated at the end of the stream. Text beyond
 * this size is checked again.
 */
const MAX_REMEMBERED = 4 * 1024 * 1024;

/** Text that grows during the stream. */
interface Channel {
  readonly windows: readonly TextWindow[];
  /** The text that the model generated, and the text that was sent. */
  raw: string;
  sent: string;
  /** Latest frame of this text. It is the template for the frame that sends the remaining text. */
  last: { readonly delta: Delta; readonly head: string };
}

/**
 * Checks a stream of events in transit. Each event is sent with the part of its text that has been released. Held-back
 * text is sent before the event that ends its channel. If the wire format repeats text, the repetition contains the
 * text that was sent.
 */
export class GuardedStream implements StreamGuard {
  readonly #wire: StreamWire;
  readonly #guards: readonly Guard[];
  readonly #subject: Subject;
  readonly #channels = new Map<string, Channel>();
  readonly #sentAs = new Map<string, string>();
  #remembered = 0;
  #sequence: number | null = null;

  constructor(wire: StreamWire, guards: readonly Guard[], subject: Subject) {
    this.#wire = wire;
    this.#guards = guards;
    this.#subject = subject;
  }

  async push(frames: string): Promise<string> {
    let passed = "";
    for (const frame of frames.split("\n\n")) if (frame !== "") passed += await this.#passFrame(frame);
    return passed;
  }

  async end(frames: string): Promise<string> {
    const passed = await this.push(frames);
    return passed + (await this.#endChannels("", null));
  }

  async #passFrame(frame: string): Promise<string> {
    const { head, data } = splitFrame(frame);
    // The frame is a comment, or the final marker of the stream.
    if (data === null)
      return frame.startsWith(":") ? `${frame}\n\n` : `${await this.#endChannels("", null)}${frame}\n\n`;
    const event = JSON.parse(Buffer.from(data, "latin1").toString("utf8")) as StreamEvent;
    const deltas = this.#wire.deltasIn(event);
    const hadText = deltas.some(({ holder, key }) => holder[key] !== "");
    for (const delta of deltas) delta.holder[delta.key] = await this.#grow(delta, head);
    let rest = "";
    for (const ended of this.#wire.endedBy(event)) rest += await this.#endChannels(ended, deltas);
    await this.#passWholeTexts(event);
    dropLogprobs(event);
    if (hadText && this.#wire.saysNothing(event)) return rest;
    return rest + this.#write(head, event);
  }

  /** Returns the part of a growing text that can be sent. */
  async #grow(delta: Delta, head: string): Promise<string> {
    const text = String(delta.holder[delta.key]);
    let channel = this.#channels.get(delta.channel);
    if (channel === undefined) {
      const windows = this.#guards.map((guard) => guard.openWindow(this.#subject));
      channel = { windows, raw: "", sent: "", last: { delta, head } };
      this.#channels.set(delta.channel, channel);
    }
    channel.last = { delta, head };
    if (text === "") return "";
    let passing = text;
    for (const window of channel.windows) passing = passing === "" ? "" : await window.push(passing);
    this.#remember(channel, text, passing);
    return passing;
  }

  /** Ends the channels with this prefix. Held-back text is added to the current event, or sent in a separate event. */
  async #endChannels(prefix: string, deltas: readonly Delta[] | null): Promise<string> {
    let frames = "";
    for (const [name, channel] of this.#channels) {
      if (!name.startsWith(prefix)) continue;
      this.#channels.delete(name);
      const rest = await restOf(channel);
      this.#remember(channel, "", rest);
      this.#sentAs.set(channel.raw, channel.sent);
      if (rest === "") continue;
      const present = deltas?.find(({ channel: own }) => own === name);
      if (present !== undefined) present.holder[present.key] = String(present.holder[present.key]) + rest;
      else frames += this.#write(channel.last.head, channel.last.delta.another(rest));
    }
    return frames;
  }

  /** Replaces each complete string with the text that was sent in pieces, or with the output of the guards. */
  async #passWholeTexts(event: StreamEvent): Promise<void> {
    const slots = this.#wire.wholeTextsIn(event);
    if (slots.texts.length === 0) return;
    const unknown = slots.texts.filter((text) => !this.#sentAs.has(text));
    let passed: readonly string[] = unknown;
    if (unknown.length > 0) for (const guard of this.#guards) passed = await guard.look(passed, this.#subject);
    const found = new Map(unknown.map((text, place) => [text, passed[place] ?? text]));
    slots.replace(slots.texts.map((text) => this.#sentAs.get(text) ?? found.get(text) ?? text));
  }

  #remember(channel: Channel, raw: string, sent: string): void {
    this.#remembered += raw.length + sent.length;
    if (this.#remembered > MAX_REMEMBERED) return;
    channel.raw += raw;
    channel.sent += sent;
  }

  #write(head: string, event: StreamEvent): string {
    if (typeof event.sequence_number === "number") {
      this.#sequence = this.#sequence === null ? event.sequence_number : this.#sequence + 1;
      event.sequence_number = this.#sequence;
    }
    return `${head}${DATA}${Buffer.from(JSON.stringify(event), "utf8").toString("latin1")}\n\n`;
  }
}

/** Returns the text that the windows still hold back, passing each window's output to the next. */
async function restOf({ windows }: Channel): Promise<string> {
  let rest = "";
  for (const window of windows) {
    const pushed = rest === "" ? "" : await window.push(rest);
    rest = pushed + (await window.end());
  }
  return rest;
}

/** Splits a frame into its non-data lines and its data, if the data is an object. */
function splitFrame(frame: string): { readonly head: string; readonly data: string | null } {
  const lines = frame.split("\n");
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice("data:".length));
  const joined = data.join("\n").trimStart();
  if (!joined.startsWith("{")) return { head: "", data: null };
  const others = lines.filter((line) => !line.startsWith("data:"));
  return { head: others.map((line) => `${line}\n`).join(""), data: joined };
}
