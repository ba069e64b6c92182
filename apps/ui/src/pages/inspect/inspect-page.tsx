import { useMutation } from "@tanstack/react-query";
import type { RawRequestTypedDict } from "@tollgate/sdk/gateway";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { useCall } from "../../api/queries.ts";
import { useKeys } from "../../api/use-keys.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { classes } from "../../components/classes.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { KeyPicker } from "../../components/key-picker.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Select } from "../../components/select.tsx";
import { parseJson } from "../../format/parse-json.ts";
import { useSearchState } from "../../router-search.ts";
import { findDropped, type MarkedLine, markDifferences } from "./json-differences.ts";
import { TokenCounter } from "./token-counter.tsx";

const callTypes = [
  { value: "completion", label: "Chat" },
  { value: "text_completion", label: "Completion" },
  { value: "embedding", label: "Embeddings" },
  { value: "moderation", label: "Moderation" },
  { value: "speech", label: "Speech" },
  { value: "transcription", label: "Transcription" },
  { value: "image_generation", label: "Images" },
] as const;

type CallType = (typeof callTypes)[number]["value"];

const SAMPLE = JSON.stringify(
  {
    model: "sim/echo",
    messages: [
      { role: "system", content: "Answer in one sentence." },
      { role: "user", content: "What is a toll gate?" },
    ],
    temperature: 0.2,
    max_tokens: 100,
  },
  null,
  2,
);

interface Inspected {
  readonly request: Readonly<Record<string, unknown>>;
  readonly sent: RawRequestTypedDict;
}

/** Compares a request with the request that the provider would receive. No model is called, and no charge applies. */
export function InspectPage() {
  const [state, set] = useSearchState({ key: "", type: "completion" });
  const { query, keys } = useKeys();
  const keyId = keys.find(({ id }) => id === state.key)?.id ?? keys[0]?.id ?? "";
  const [text, setText] = useState(SAMPLE);
  const parsed = parseJson(text);
  const isRequest = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  const inspect = useMutation<Inspected, Error>({
    mutationFn: async () => {
      const request = parsed as Inspected["request"];
      const call_type = state.type as CallType;
      return { request, sent: (await gatewayOf(keyId).transformRequest({ call_type, request_body: request })).data };
    },
  });
  return (
    <Page title="Request inspector" note="preview the provider request without sending it" wide>
      <Loaded query={query} what="Your keys">
        {() =>
          keyId === "" ? (
            <EmptyState
              title="No API keys"
              action={
                <ButtonLink to="/keys" search={{ create: "1" }} variant="primary">
                  Create API key
                </ButtonLink>
              }
            >
              To inspect requests, create a key. The key determines which models a request can use.
            </EmptyState>
          ) : (
            <>
              <div className="flex flex-wrap items-end gap-3">
                <div className="w-44 max-sm:w-full">
                  <Field label="Request type">
                    <Select
                      label="Request type"
                      className="sm:h-[30px]! border-outline-soft! sm:text-table!"
                      value={state.type as CallType}
                      options={callTypes}
                      onValue={(type) => set({ type }, { replace: true })}
                    />
                  </Field>
                </div>
                <div className="w-64 max-sm:w-full">
                  <Field label="Key">
                    <KeyPicker keys={keys} value={keyId} onValue={(key) => set({ key }, { replace: true })} />
                  </Field>
                </div>
                <Button
                  variant="primary"
                  className="ml-auto max-sm:w-full"
                  busy={inspect.isPending}
                  disabledReason={isRequest ? null : "The request must be a JSON object"}
                  onClick={() => inspect.mutate()}
                >
                  Inspect
                </Button>
              </div>
              <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
                <Panel title="Your request" note="OpenAI format">
                  <Field label="Body" error={isRequest ? null : "The request must be a JSON object."}>
                    <TextArea
                      mono
                      rows={16}
                      spellCheck={false}
                      value={text}
                      onChange={(event) => setText(event.currentTarget.value)}
                    />
                  </Field>
                </Panel>
                <Sent inspect={inspect} />
              </div>
              {inspect.data !== undefined && inspect.data.sent.error === null && <Comparison {...inspect.data} />}
              <TokenCounter keyId={keyId} request={isRequest ? (parsed as Inspected["request"]) : null} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface SentProps {
  readonly inspect: { readonly data: Inspected | undefined; readonly error: Error | null; readonly mutate: () => void };
}

function Sent({ inspect: { data, error, mutate } }: SentProps) {
  return (
    <Panel title="Provider request" note={data?.sent.raw_request_api_base ?? undefined}>
      <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {error !== null ? (
          <ErrorNotice error={error} verb="inspect" what="The request" onRetry={() => mutate()} />
        ) : data === undefined ? (
          <p className="text-table text-muted">
            Select Inspect to see the URL, headers, and body that the provider would receive. Secrets are masked.
          </p>
        ) : data.sent.error !== null ? (
          <Notice tone="warning" title="This request can't be translated.">
            {data.sent.error}
          </Notice>
        ) : (
          <>
            <Dropped {...data} />
            <Headers headers={data.sent.raw_request_headers ?? {}} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** Fields that are not sent to the provider, with reasons. */
function Dropped({ request, sent }: Inspected) {
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  const dropped = findDropped(request, sent.raw_request_body);
  const unsupported = hub.data?.models.find(({ id }) => id === request.model)?.unsupportedParams ?? [];
  if (dropped.length === 0) return <p className="text-table">All request fields are sent.</p>;
  return (
    <div className="grid gap-1 text-table">
      <h3 className="font-semibold">Renamed or dropped</h3>
      <ul className="grid gap-0.5">
        {dropped.map((name) => (
          <li key={name}>
            <code className="font-mono text-meta">{name}</code>{" "}
            <span className="text-muted">
              {unsupported.includes(name)
                ? "dropped because the model doesn't support it"
                : (reasons[name] ?? "renamed or not supported by the provider API")}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const reasons: Readonly<Record<string, string>> = {
  model: "sent in the URL, not in the body",
  messages: "converted to the provider's conversation format",
  max_tokens: "sent under the provider's field name for max output tokens",
  max_completion_tokens: "sent under the provider's field name for max output tokens",
  stop: "sent under the provider's field name",
  user: "stored by the gateway for reports, not sent to the provider",
  metadata: "stored by the gateway for reports, not sent to the provider",
  tags: "used by the gateway for routing and reports, not sent to the provider",
};

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <div className="grid gap-1">
      <h3 className="text-table font-semibold">Headers</h3>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 font-mono text-meta">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Comparison({ request, sent }: Inspected) {
  const { left, right } = markDifferences(request, sent.raw_request_body);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <Written title="Your request" lines={left} sign="−" />
      <Written title="Provider request" lines={right} sign="+" />
    </div>
  );
}

/**
 * Shows a body line by line. Lines that only one of the two bodies contains are marked with a sign and a background.
 */
function Written(props: { readonly title: string; readonly lines: readonly MarkedLine[]; readonly sign: string }) {
  const { title, lines, sign } = props;
  const count = lines.filter(({ isDifferent }) => isDifferent).length;
  return (
    <Panel
      title={title}
      flush
      note={count === 0 ? "no differences" : `${count} ${count === 1 ? "line differs" : "lines differ"}`}
      actions={<CopyButton text={lines.map(({ text }) => text).join("\n")} />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also by keyboard. */}
      <pre tabIndex={0} className={WRITTEN}>
        {lines.map(({ text, isDifferent }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position.
          <span key={index} className={classes("block min-w-max px-3", isDifferent && "bg-warning-soft")}>
            <span className="select-none text-muted">{isDifferent ? `${sign} ` : "  "}</span>
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </Panel>
  );
}

const WRITTEN = "max-h-[60vh] overflow-auto py-2 font-mono text-[12.5px]/5 focus-visible:-outline-offset-2";
