import type { OpenAiWire } from "../apps/gateway/src/providers/openai/wire.ts";
import { openAiWires } from "../apps/gateway/src/providers/openai/wires.ts";
import { openaiChatFields } from "../packages/contracts/src/chat/chat-request.ts";

const everyParam = Object.keys(openaiChatFields);

/** Renders the page that lists the OpenAI-compatible providers. */
export function describeOpenAiWires(): string {
  return [
    "# List of OpenAI-compatible providers",
    "",
    "Look up the base URL, environment variables, endpoints, and unsupported parameters for each provider. For common behavior and how to add a provider, see [OpenAI-compatible providers](openai-wire.md). This page is generated from `apps/gateway/src/providers/openai/wires.ts` by `bin/pnpm generate`.",
    "",
    "| Name | Default base URL | API key variables | Operations | Translation |",
    "| --- | --- | --- | --- | --- |",
    ...openAiWires.map(
      (wire) =>
        `| \`${wire.name}\` | ${wire.apiBase ?? "None; set `api_base`"} | ${keysOf(wire)} | ${wire.operations.join(", ")} | ${capitalized(changesOf(wire))} |`,
    ),
    "",
    "## Unsupported chat parameters",
    "",
    "The gateway rejects these parameters with 400 `unsupported_parameter`, unless `drop_params` or `allowed_openai_params` is set. Providers that are not listed support all parameters, but some of their models may support fewer.",
    "",
    "| Name | Unsupported |",
    "| --- | --- |",
    ...openAiWires.flatMap(({ name, takes }) =>
      takes === undefined
        ? []
        : [`| \`${name}\` | ${everyParam.filter((param) => !takes.includes(param)).join(", ")} |`],
    ),
    "",
  ].join("\n");
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function keysOf({ keyVariable, otherKeyVariables = [] }: OpenAiWire): string {
  return keyVariable === null ? "" : [keyVariable, ...otherKeyVariables].map((name) => `\`${name}\``).join(", ");
}

function changesOf(wire: OpenAiWire): string {
  const renamed = Object.entries(wire.renames ?? {}).map(([from, to]) => `\`${from}\` is sent as \`${to}\``);
  return [
    ...renamed,
    ...(wire.version === undefined ? [] : [`\`${wire.version}\` is appended to the base URL if missing`]),
    ...(wire.developerIsSystem || wire.saysReasoning ? ["`developer` messages are sent as `system`"] : []),
    ...(wire.saysReasoning
      ? ["`reasoning` is renamed to `reasoning_content` in responses and converted back in requests"]
      : []),
    ...(wire.alwaysSendsUsage ? ["the provider always sends usage, so `stream_options` is not forwarded"] : []),
    ...adaptationsOf(wire),
  ].join("; ");
}

function adaptationsOf({ fitParams, fitMessages, fitAnswer }: OpenAiWire): readonly string[] {
  const adapted = [
    ...(fitParams === undefined ? [] : ["some parameter values"]),
    ...(fitMessages === undefined ? [] : ["messages"]),
    ...(fitAnswer === undefined ? [] : ["responses"]),
  ];
  return adapted.length === 0 ? [] : [`the gateway adapts ${new Intl.ListFormat("en").format(adapted)}`];
}
