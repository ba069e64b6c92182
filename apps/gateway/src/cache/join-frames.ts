import type { Choice, Completion } from "./split-answer.ts";

type Members = Record<string, unknown>;

/** Joins the chunks of a stream into a whole response. */
export function joinFrames(chunks: readonly Completion[], counted: object): Completion {
  const [first] = chunks;
  if (first === undefined) throw new Error("a cached stream has no frames");
  const isChat = first.object === "chat.completion.chunk";
  const joined = new Map<number, Members>();
  let usage: object | null = null;
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    for (const choice of chunk.choices) joined.set(choice.index, joinChoice(joined.get(choice.index), choice, isChat));
  }
  const { usage: _none, ...head } = first;
  const choices = [...joined.values()].sort((left, right) => (left.index as number) - (right.index as number));
  return {
    ...head,
    object: isChat ? "chat.completion" : first.object,
    choices: choices.map(withoutNumbers) as unknown as readonly Choice[],
    usage: usage ?? counted,
  };
}

function joinChoice(
  known: Members | undefined,
  { index, delta, text, logprobs, ...rest }: Choice,
  isChat: boolean,
): Members {
  const { finish_reason: reason = null } = rest;
  return {
    index,
    ...(isChat
      ? {
          message: joinDelta(
            (known?.message as Members | undefined) ?? { role: "assistant", content: null },
            delta ?? {},
          ),
        }
      : { text: `${(known?.text as string | undefined) ?? ""}${text ?? ""}` }),
    logprobs: joinLists(known?.logprobs, logprobs),
    finish_reason: reason ?? known?.finish_reason ?? null,
  };
}

/**
 * Adds a delta to a message. Strings and lists are appended, objects and tool calls are merged, and other values are
 * replaced.
 */
function joinDelta(message: Members, delta: Readonly<Members>): Members {
  const joined = { ...message };
  for (const [name, value] of Object.entries(delta)) {
    const before = joined[name];
    if (name === "tool_calls" && Array.isArray(value)) joined[name] = joinTools(before as Members[] | undefined, value);
    else if (name === "role") joined[name] = value;
    else if (typeof value === "string" && typeof before === "string") joined[name] = before + value;
    else if (Array.isArray(value) && Array.isArray(before)) joined[name] = [...before, ...value];
    else if (isMembers(value) && isMembers(before)) joined[name] = joinDelta(before, value);
    else if (value !== null || before === undefined) joined[name] = value;
  }
  return joined;
}

/** Joins tool calls, which are streamed in pieces. Each piece contains the index of its tool call. */
function joinTools(before: readonly Members[] = [], pieces: readonly Members[]): readonly Members[] {
  const tools = new Map(before.map((tool) => [tool.index, tool]));
  for (const { index, function: said, ...rest } of pieces) {
    const known = tools.get(index) ?? {};
    const called = joinDelta((known.function as Members | undefined) ?? {}, (said as Members | undefined) ?? {});
    tools.set(index, { ...known, ...rest, index, function: called });
  }
  return [...tools.values()];
}

/** Removes the indexes of tool calls, which a whole response doesn't contain. */
function withoutNumbers({ message, ...choice }: Members): Members {
  if (message === undefined) return choice;
  const { tool_calls: tools, ...said } = message as Members;
  if (tools === undefined) return { ...choice, message };
  const calls = (tools as readonly Members[]).map(({ index: _number, ...tool }) => tool);
  return { ...choice, message: { ...said, tool_calls: calls } };
}

/** Joins log probabilities. Each piece of a stream contains a part of each named list. */
function joinLists(before: unknown, more: unknown): unknown {
  if (!isMembers(before)) return more ?? null;
  return isMembers(more) ? joinDelta(before, more) : before;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
