import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { Play } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea, TextInput } from "../../components/inputs.tsx";
import { Panel } from "../../components/panel.tsx";
import { RouteList, type RouteOutcome, type RouteStep } from "../../components/route-list.tsx";
import { readRequest } from "./read-request.ts";

type Step = Operations["simulateRoute"]["answer"]["steps"][number];

const outcomes: Readonly<Record<Step["kind"], RouteOutcome>> = {
  resolve: "passed",
  filter: "skipped",
  choose: "next",
  retry: "fallback",
  fallback: "fallback",
  refuse: "refused",
};

/** Simulates the route of a pasted request with the real routing rules. No request is sent or billed. */
export function SimulatePanel({ model }: { readonly model: string }) {
  const [text, setText] = useState(() => sampleOf(model));
  const [tokens, setTokens] = useState("");
  const simulate = useChange("simulateRoute", { isQuiet: true });
  const question = readRequest(text);
  const entered = /^\d{1,8}$/.test(tokens) ? Number(tokens) : null;
  const problem = typeof question === "string" ? question : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof question === "string") return;
    simulate.mutate({ body: { ...question, ...(entered !== null && { inputTokens: entered }) } });
  };
  return (
    <form onSubmit={submit}>
      <Panel
        title="Simulate"
        note="no request is sent"
        actions={
          <Button
            type="submit"
            size="sm"
            icon={<Play size={14} strokeWidth={1.5} />}
            busy={simulate.isPending}
            disabledReason={problem}
          >
            Run
          </Button>
        }
      >
        <div className="grid gap-3">
          <Field label="Request" hint="Paste a request body." error={problem ?? undefined}>
            <TextArea
              mono
              rows={4}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="bg-sunken"
            />
          </Field>
          <Field label="Input tokens" optional hint="Leave empty to estimate from the request.">
            <TextInput
              inputMode="numeric"
              value={tokens}
              onChange={(event) => setTokens(event.target.value)}
              placeholder={typeof question === "string" ? "" : `about ${formatCount(question.inputTokens ?? 0)}`}
            />
          </Field>
          <div aria-live="polite" className="grid gap-3">
            {simulate.isError && <ErrorNotice error={simulate.error} verb="simulate" what="The request" />}
            {simulate.data !== undefined && (
              <>
                <h3 className="text-table font-semibold">
                  {simulate.data.chosen.length === 0 ? "The request would be refused" : "Expected route"}
                </h3>
                <RouteList steps={simulate.data.steps.map(toRouteStep)} />
              </>
            )}
          </div>
        </div>
      </Panel>
    </form>
  );
}

function toRouteStep({ kind, text, group, share }: Step): RouteStep {
  const name = kind === "choose" && share !== null ? `${Math.round(share * 100)}%` : kindNames[kind];
  return {
    outcome: outcomes[kind],
    name,
    ...(kind === "fallback" && group !== null && { note: group }),
    detail: text,
  };
}

const kindNames: Readonly<Record<Step["kind"], string>> = {
  resolve: "Resolved",
  filter: "Skipped",
  choose: "Selected",
  retry: "Retry",
  fallback: "Fallback",
  refuse: "Refused",
};

function sampleOf(model: string): string {
  return `{\n  "model": ${JSON.stringify(model)},\n  "messages": [{ "role": "user", "content": "Hello" }]\n}`;
}
