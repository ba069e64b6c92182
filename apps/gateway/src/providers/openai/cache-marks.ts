import { readableMember } from "../../call/call-body.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import type { ChatMessages, FitParams } from "./fit-request.ts";

/** Anthropic's marks for the end of a cached part of a prompt, which clients also send in chat requests. */
interface Marked {
  readonly cache_control?: { readonly ttl?: unknown } | null;
}

type Change = (mark: Marked["cache_control"]) => Marked["cache_control"] | undefined;

/** Removes marks, for upstreams that cache on their own and reject unknown members. */
const remove: Change = () => undefined;
/** Removes the lifetime of marks. The usage of these upstreams doesn't state it, so only the default one can be charged. */
const shorten: Change = (mark) => (mark?.ttl === undefined ? mark : { ...mark, ttl: undefined });

/** Returns messages with marks that the upstream accepts, or null if no change is needed. */
export function fitMarks(messages: ChatMessages, keepsMarks: boolean): ChatMessages | null {
  const change = keepsMarks ? shorten : remove;
  for (const message of messages) {
    if (needsChange(message, change)) return messages.map((each) => changeMessage(each, change)) as ChatMessages;
  }
  return null;
}

/** Changes the marks of tools. */
export function fitToolMarks(keepsMarks: boolean): FitParams {
  const change = keepsMarks ? shorten : remove;
  return (call, _target, edits, dropped) => {
    const { tools } = call.body.request;
    const extra = call.body.request.extra_body as { readonly tools?: unknown } | null | undefined;
    if (!dropped.has("tools") && needsToolChange(tools, change)) {
      const readable = readableMember(call.body, "tools") as Tools;
      edits.push({ name: "tools", json: toJsonBytes(changeTools(readable, change)) });
    }
    if (needsToolChange(extra?.tools, change)) {
      const readable = readableMember(call.body, "extra_body") as { readonly tools: Tools };
      edits.push({
        name: "extra_body",
        json: toJsonBytes({ ...readable, tools: changeTools(readable.tools, change) }),
      });
    }
    return dropped;
  };
}

type Tools = readonly object[];

function needsToolChange(tools: unknown, change: Change): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && isToolChanged(tool, change));
}

function changeTools(tools: Tools, change: Change): Tools {
  return tools.map((tool) => (isObject(tool) ? changeTool(tool, change) : tool));
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** A tool, whose mark some clients write inside the function. */
interface MarkedTool extends Marked {
  readonly function?: unknown;
}

function isToolChanged(tool: object, change: Change): boolean {
  return isChanged(tool, change) || markedFunction(tool, change) !== null;
}

function changeTool(tool: object, change: Change): object {
  const inner = markedFunction(tool, change);
  const outer = changed(tool, change);
  return inner === null ? outer : { ...outer, function: changed(inner, change) };
}

/** Returns the function of a tool if its mark has to change, and otherwise null. */
function markedFunction(tool: object, change: Change): object | null {
  const { function: inner } = tool as MarkedTool;
  return typeof inner === "object" && inner !== null && isChanged(inner, change) ? inner : null;
}

function needsChange(message: object, change: Change): boolean {
  if (isChanged(message, change)) return true;
  const { content } = message as { readonly content?: unknown };
  if (!Array.isArray(content)) return false;
  for (const part of content) if (isChanged(part, change)) return true;
  return false;
}

function changeMessage(message: object, change: Change): object {
  const { content } = message as { readonly content?: unknown };
  const fitted = changed(message, change);
  return Array.isArray(content) ? { ...fitted, content: content.map((part) => changed(part, change)) } : fitted;
}

function isChanged(marked: object, change: Change): boolean {
  const { cache_control: mark } = marked as Marked;
  return mark !== undefined && change(mark) !== mark;
}

function changed(marked: object, change: Change): object {
  if (!isChanged(marked, change)) return marked;
  const { cache_control: mark, ...rest } = marked as Marked;
  const fitted = change(mark);
  return fitted === undefined ? rest : { ...rest, cache_control: fitted };
}
