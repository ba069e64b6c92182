import type { ErrorContext } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { scanJson, type TopLevelMember } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { findResponseTexts } from "../../operations/responses/find-response-texts.ts";
import { publicUsage, responseErrorOf } from "../../operations/responses/write-response.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { type Edit, editBody, toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { dataOfFrame, endOfLastFrame } from "../../wire/sse-frames.ts";
import { parseObject } from "./parse-object.ts";
import { readResponseFailure } from "./read-response-failure.ts";
import { readResponseUsage } from "./read-response-usage.ts";

/** Maximum frame size without the request. The last event contains the whole response again. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Escaped, the request's instructions can have this many times their length in the events that repeat them. */
const REPEATED_LENGTH = 2;
const NOTHING: ReadonlySet<string> = new Set();
/** Search strings that match only keys, because quotes inside JSON strings are escaped. */
const RESPONSE = '"response"';
const ERROR = '"error"';
const CLOSING_MARK = "[DONE]";
const firstTypes = new Set(["response.created", "response.queued", "response.in_progress"]);
const lastTypes = new Set(["response.completed", "response.incomplete"]);

type ReadCall = Pick<TranslatedCall, "parts" | "target"> & Partial<Pick<TranslatedCall, "body">>;

/**
 * Relays a response's events as they arrive. In events that contain the response object, the gateway's own names
 * replace the upstream's. The first events are held back until the model produces output, so that another deployment
 * can still be tried.
 */
export class ResponseStreamReader implements StreamReader {
  isDone = false;
  usage: Usage | null = null;
  failure: Failure | null = null;
  readonly output = new OutputMeter(findResponseTexts);
  readonly #edits: readonly Edit[];
  readonly #call: Pick<TranslatedCall, "parts" | "target">;
  readonly #maxFrame: number;
  #carry = "";
  #keptBack = "";
  #hasBegun = false;
  /**
   * The response object from the first event. The gateway uses it to write a final event if the upstream sends none.
   */
  #first = "";
  /** Completed output items, each as JSON. */
  readonly #items: string[] = [];
  #number = 0;

  constructor(edits: readonly Edit[], { parts, target = null, body }: ReadCall = {}) {
    this.#edits = edits;
    this.#maxFrame = MAX_FRAME_BYTES + REPEATED_LENGTH * (body?.bytes.length ?? 0);
    this.#call = parts === undefined ? { target } : { parts, target };
  }

  push(text: string): string {
    if (this.isDone || this.failure !== null) return "";
    const all = this.#carry + text;
    const end = endOfLastFrame(all);
    this.#carry = all.slice(end);
    const relayed = end === 0 ? "" : this.#relay(all.slice(0, end));
    if (this.#carry.length > this.#maxFrame) {
      this.failure ??= new OversizedEvent();
    }
    return relayed;
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const rest = this.#carry.trim();
    this.#carry = "";
    const data = rest === "" ? null : dataOfFrame(rest);
    // An incomplete frame would break the client's parser before the error arrives.
    const last = data !== null && parseObject(data) !== null ? this.#relay(`${rest}\n\n`) : "";
    if (!this.isDone) this.failure ??= new Failure("bad_gateway", "The model's response ended before it was complete.");
    return last;
  }

  cutFrames(usage: Usage): string {
    return this.#lastEvent("incomplete", [
      { name: "incomplete_details", json: '{"reason":"max_output_tokens"}' },
      { name: "usage", json: JSON.stringify(publicUsage(usage)) },
    ]);
  }

  failureFrames(failure: Failure, context: ErrorContext): string {
    return this.#lastEvent("failed", [{ name: "error", json: toJsonBytes(responseErrorOf(failure, context)) }]);
  }

  #relay(frames: string): string {
    let relayed = "";
    let start = 0;
    for (let end = frames.indexOf("\n\n"); end >= 0; end = frames.indexOf("\n\n", start)) {
      const frame = frames.slice(start, end + 2);
      start = end + 2;
      relayed += this.#read(frame);
      if (this.isDone || this.failure !== null) break;
    }
    this.output.add(relayed);
    return relayed;
  }

  #read(frame: string): string {
    this.#number += 1;
    if (frame.includes(RESPONSE)) return this.#readResponse(frame);
    if (frame.includes(ERROR) && this.#isFailure(frame)) return "";
    if (frame.includes(CLOSING_MARK) && dataOfFrame(frame) === CLOSING_MARK) return "";
    if (frame.includes('"response.output_item.done"')) this.#keepItem(frame);
    return this.#letGo() + frame;
  }

  /** Reads the status and the usage from an event that contains the response object. */
  #readResponse(frame: string): string {
    const data = dataOfFrame(frame);
    const members = data === null ? [] : membersOf(data);
    const held = members.find(({ name }) => name === "response");
    const type = typeOf(data ?? "", members);
    if (data === null || held === undefined || type === null) return this.#letGo() + frame;
    const response = data.slice(held.valueStart, held.valueEnd);
    const inner = membersOf(response);
    if (type === "response.failed") {
      this.failure = readResponseFailure(response);
      return "";
    }
    const renamed = editBody({ text: response, members: inner }, this.#edits, NOTHING);
    const written = frame.replace(data, () => data.slice(0, held.valueStart) + renamed + data.slice(held.valueEnd));
    if (firstTypes.has(type)) {
      this.#first = renamed;
      if (this.#hasBegun) return written;
      this.#keptBack += written;
      return "";
    }
    if (lastTypes.has(type)) {
      this.isDone = true;
      this.usage = readResponseUsage((name) => memberJson(response, inner, name), this.#call);
    }
    return this.#letGo() + written;
  }

  #letGo(): string {
    this.#hasBegun = true;
    const keptBack = this.#keptBack;
    this.#keptBack = "";
    return keptBack;
  }

  #isFailure(frame: string): boolean {
    const data = dataOfFrame(frame);
    const event = data === null ? null : parseObject(data);
    if (data === null || (event?.type !== "error" && event?.error == null)) return false;
    const error = event.error ?? { code: event.code, message: event.message };
    this.failure = readResponseFailure(JSON.stringify({ error }));
    return true;
  }

  #keepItem(frame: string): void {
    const data = dataOfFrame(frame) ?? "";
    const item = membersOf(data).find(({ name }) => name === "item");
    if (item !== undefined) this.#items.push(data.slice(item.valueStart, item.valueEnd).trim());
  }

  /** Writes a final event with the response's current state. */
  #lastEvent(status: "incomplete" | "failed", edits: readonly Edit[]): string {
    const type = `response.${status}`;
    const text = this.#first === "" ? '{"object":"response"}' : this.#first;
    const all = [
      { name: "status", json: `"${status}"` },
      { name: "output", json: `[${this.#items.join(",")}]` },
      ...edits,
    ];
    const response = editBody({ text, members: membersOf(text) }, all, NOTHING);
    const data = `{"type":"${type}","sequence_number":${this.#number},"response":${response}}`;
    return `${this.#letGo()}event: ${type}\ndata: ${data}\n\n`;
  }
}

/** Returns the JSON of a member's value, or null if there is no such member. */
export function memberJson(json: string, members: readonly TopLevelMember[], name: string): string | null {
  const member = members.find((one) => one.name === name);
  return member === undefined ? null : json.slice(member.valueStart, member.valueEnd);
}

function membersOf(json: string): readonly TopLevelMember[] {
  const scan = scanJson(json);
  return scan.kind === "scanned" ? scan.members : [];
}

function typeOf(data: string, members: readonly TopLevelMember[]): string | null {
  const type = members.find(({ name }) => name === "type");
  return type === undefined ? null : data.slice(type.valueStart, type.valueEnd).trim().slice(1, -1);
}
