import type { OpenAiWire } from "../apps/gateway/src/providers/openai/wire.ts";
import { openAiWires } from "../apps/gateway/src/providers/openai/wires.ts";
import { openaiChatFields } from "../packages/contracts/src/chat/chat-request.ts";

const everyParam = Object.keys(openaiChatFields);

/** The providers of the OpenAI wire as a page. */
export function describeOpenAiWires(): string {
  return [
    "# Providers that speak the OpenAI wire: the table",
    "",
    "Made from `apps/gateway/src/providers/openai/wires.ts` by `bin/pnpm generate`. What the columns mean, and how to add a row, is in [openai-wire.md](openai-wire.md).",
    "",
    "| Name | Usual address | Key found in | Operations | What changes on the way |",
    "| --- | --- | --- | --- | --- |",
    ...openAiWires.map(
      (wire) =>
        `| \`${wire.name}\` | ${wire.apiBase ?? "`api_base` must say"} | ${keysOf(wire)} | ${wire.operations.join(", ")} | ${changesOf(wire)} |`,
    ),
    "",
    "## Parameters of a chat that are not taken",
    "",
    "Asked for one of these, the gateway answers 400 `unsupported_parameter`, unless `drop_params` or `allowed_openai_params` say otherwise. A row that is not listed takes all of them; single models of a row may take fewer.",
    "",
    "| Name | Not taken |",
    "| --- | --- |",
    ...openAiWires.flatMap(({ name, takes }) =>
      takes === undefined
        ? []
        : [`| \`${name}\` | ${everyParam.filter((param) => !takes.includes(param)).join(", ")} |`],
    ),
    "",
  ].join("\n");
}

function keysOf({ keyVariable, otherKeyVariables = [] }: OpenAiWire): string {
  return keyVariable === null ? "" : [keyVariable, ...otherKeyVariables].map((name) => `\`${name}\``).join(", ");
}

function changesOf(wire: OpenAiWire): string {
  const renamed = Object.entries(wire.renames ?? {}).map(([from, to]) => `\`${from}\` is sent as \`${to}\``);
  return [
    ...renamed,
    ...(wire.version === undefined ? [] : [`\`${wire.version}\` is added to an address without it`]),
    ...(wire.developerIsSystem || wire.saysReasoning ? ["`developer` messages are sent as `system`"] : []),
    ...(wire.saysReasoning ? ["`reasoning` is ours `reasoning_content`, both ways"] : []),
    ...(wire.alwaysTellsUsage ? ["usage comes unasked; `stream_options` is not sent"] : []),
    ...(wire.fitParams === undefined ? [] : ["parameters by value"]),
    ...(wire.fitMessages === undefined ? [] : ["messages"]),
    ...(wire.fitAnswer === undefined ? [] : ["answers"]),
  ].join("; ");
}
