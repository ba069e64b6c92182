import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import {
  callItem,
  ItemIds,
  type ItemStatus,
  messageItem,
  refusalPart,
  textPart,
  thoughtItem,
  toAnnotation,
} from "./output-items.ts";
import type { NamedTool, ToolNames } from "./tool-names.ts";
import { type ResponseEcho, type ResponseError, type ResponseState, toResponse } from "./write-response.ts";

/** An output item that isn't complete yet. */
interface OpenItem {
  readonly id: string;
  readonly kind: "message" | "refusal" | "thought" | "call";
  /** The output text, reasoning, or tool input received so far. */
  text: string;
  readonly annotations: object[];
  readonly blocks: object[];
  readonly callId: string;
  readonly tool: NamedTool;
  extra: unknown;
}

/**
 * Writes the numbered events of one streamed response in order. Each item is added, receives deltas, and is repeated in
 * full at its end. Events are collected, as bytes, until `take` is called.
 */
export class ResponseEvents {
  readonly #echo: ResponseEcho;
  readonly #ids: ItemIds;
  readonly #tools: ToolNames;
  readonly #output: object[] = [];
  #open: OpenItem | null = null;
  #hasBegun = false;
  #number = 0;
  #written = "";

  constructor(echo: ResponseEcho, tools: ToolNames) {
    this.#echo = echo;
    this.#ids = new ItemIds(echo.id);
    this.#tools = tools;
  }

  /** Returns the events written since the last call. */
  take(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }

  say(delta: string): void {
    const item = this.#continue("message");
    item.text += delta;
    this.#tell("response.output_text.delta", { ...this.#place(item), content_index: 0, delta, logprobs: [] });
  }

  refuse(delta: string): void {
    const item = this.#continue("refusal");
    item.text += delta;
    this.#tell("response.refusal.delta", { ...this.#place(item), content_index: 0, delta });
  }

  think(delta: string): void {
    const item = this.#continue("thought");
    if (item.text === "") {
      const part = { type: "summary_text", text: "" };
      this.#tell("response.reasoning_summary_part.added", { ...this.#place(item), summary_index: 0, part });
    }
    item.text += delta;
    this.#tell("response.reasoning_summary_text.delta", { ...this.#place(item), summary_index: 0, delta });
  }

  /** Adds thinking blocks that the provider signed. */
  sign(blocks: readonly object[]): void {
    this.#continue("thought").blocks.push(...blocks);
  }

  cite(annotations: readonly object[]): void {
    const item = this.#continue("message");
    for (const given of annotations) {
      const annotation = toAnnotation(given);
      const annotationIndex = item.annotations.push(annotation) - 1;
      this.#tell("response.output_text.annotation.added", {
        ...this.#place(item),
        content_index: 0,
        annotation_index: annotationIndex,
        annotation,
      });
    }
  }

  /** Attaches additional data to the open item, such as a signature. */
  carry(extra: unknown): void {
    if (this.#open !== null && this.#open.kind !== "thought") this.#open.extra = extra;
  }

  /** Starts a tool call. */
  call(callId: string, name: string, extra: unknown): void {
    this.#begin();
    this.#close("completed");
    const tool = this.#tools.find(name);
    this.#announce({ ...newItem(this.#ids.next(tool.isCustom ? "ctc" : "fc"), "call"), callId, tool, extra });
  }

  /**
   * Adds to the arguments of the current tool call. The text input of a custom tool is sent only when it is complete.
   */
  give(delta: string): void {
    const item = this.#open;
    if (item?.kind !== "call" || delta === "") return;
    item.text += delta;
    if (!item.tool.isCustom) this.#tell("response.function_call_arguments.delta", { ...this.#place(item), delta });
  }

  /** Ends a response that is complete or has reached its output limit. */
  finish(usage: Usage | null, reason: string | null): void {
    this.#begin();
    const status = reason === null ? "completed" : "incomplete";
    if (this.#open === null && this.#output.length === 0) this.#continue("message");
    this.#close(status);
    this.#tellResponse(`response.${status}`, { status, output: this.#output, usage, incompleteReason: reason });
  }

  /** Ends an incomplete response with a failure. */
  fail(error: ResponseError): void {
    this.#begin();
    this.#close("incomplete");
    this.#tellResponse("response.failed", { status: "failed", output: this.#output, usage: null, error });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const state: ResponseState = { status: "in_progress", output: [], usage: null };
    this.#tellResponse("response.created", state);
    this.#tellResponse("response.in_progress", state);
  }

  /** Returns the open item of this kind, or a new one. */
  #continue(kind: "message" | "refusal" | "thought"): OpenItem {
    if (this.#open?.kind === kind) return this.#open;
    this.#begin();
    this.#close("completed");
    return this.#announce(newItem(this.#ids.next(kind === "thought" ? "rs" : "msg"), kind));
  }

  #announce(item: OpenItem): OpenItem {
    this.#open = item;
    const isSpoken = item.kind === "message" || item.kind === "refusal";
    const shown = isSpoken ? messageItem(item.id, [], "in_progress") : shownItem(item, "in_progress");
    this.#tell("response.output_item.added", { output_index: this.#output.length, item: shown });
    if (isSpoken) {
      this.#tell("response.content_part.added", { ...this.#place(item), content_index: 0, part: shownPart(item) });
    }
    return item;
  }

  #close(status: ItemStatus): void {
    const item = this.#open;
    if (item === null) return;
    this.#open = null;
    this.#tellWhole(item);
    const shown = shownItem(item, status);
    this.#tell("response.output_item.done", { output_index: this.#output.length, item: shown });
    this.#output.push(shown);
  }

  /** Writes an item's final events, in the format for its kind. */
  #tellWhole(item: OpenItem): void {
    const place = this.#place(item);
    const { text } = item;
    if (item.kind === "message" || item.kind === "refusal") {
      const isRefusal = item.kind === "refusal";
      const said = isRefusal ? { refusal: text } : { text, logprobs: [] };
      const type = isRefusal ? "response.refusal.done" : "response.output_text.done";
      this.#tell(type, { ...place, content_index: 0, ...said });
      this.#tell("response.content_part.done", { ...place, content_index: 0, part: shownPart(item) });
    } else if (item.kind === "call") this.#tellCalled(item);
    else if (text !== "") {
      const part = { type: "summary_text", text };
      this.#tell("response.reasoning_summary_text.done", { ...place, summary_index: 0, text });
      this.#tell("response.reasoning_summary_part.done", { ...place, summary_index: 0, part });
    }
  }

  #tellCalled(item: OpenItem): void {
    const place = this.#place(item);
    if (!item.tool.isCustom) {
      this.#tell("response.function_call_arguments.done", { ...place, name: item.tool.name, arguments: item.text });
      return;
    }
    const { input } = shownItem(item, "completed") as { readonly input: string };
    this.#tell("response.custom_tool_call_input.delta", { ...place, delta: input });
    this.#tell("response.custom_tool_call_input.done", { ...place, input });
  }

  #place({ id }: OpenItem): object {
    return { item_id: id, output_index: this.#output.length };
  }

  #tellResponse(type: string, state: ResponseState): void {
    this.#tell(type, { response: toResponse(this.#echo, state) });
  }

  #tell(type: string, fields: object): void {
    const event = toJsonBytes({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
    this.#written += `event: ${type}\ndata: ${event}\n\n`;
  }
}

const NO_TOOL: NamedTool = { name: "", namespace: null, isCustom: false };

function newItem(id: string, kind: OpenItem["kind"]): OpenItem {
  return { id, kind, text: "", annotations: [], blocks: [], callId: "", tool: NO_TOOL, extra: null };
}

function shownItem(item: OpenItem, status: ItemStatus): object {
  const { id, kind, text, blocks, tool, callId, extra } = item;
  if (kind === "thought") return thoughtItem(id, text, blocks);
  if (kind === "call") return callItem(id, tool, callId, text, status, extra);
  return messageItem(id, [shownPart(item)], status, extra);
}

function shownPart({ kind, text, annotations }: OpenItem): object {
  return kind === "refusal" ? refusalPart(text) : textPart(text, annotations);
}
