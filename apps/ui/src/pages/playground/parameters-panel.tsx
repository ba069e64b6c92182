import { useId, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { NumberInput, TextArea } from "../../components/inputs.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { BalanceLeft } from "./balance-left.tsx";
import {
  type ChatParameters,
  checkNumber,
  checkSchema,
  checkTools,
  type NumberParameter,
  numberParameters,
} from "./chat-parameters.ts";
import { type ChatState, parametersOf } from "./chat-state.ts";
import { explainUnsupported } from "./explain-unsupported.ts";

interface ParametersPanelProps {
  readonly state: ChatState;
  readonly supported: ReadonlyMap<string, readonly string[] | null>;
  readonly onChange: (columnId: string | null, change: Partial<ChatParameters>) => void;
  readonly onReset: (columnId: string) => void;
}

const ALL = "all";
const NONE = "default";

/** Request parameters for all columns or for one column. Shows only parameters that a model supports. */
export function ParametersPanel({ state, supported, onChange, onReset }: ParametersPanelProps) {
  const { columns } = state;
  const [chosen, setChosen] = useState(ALL);
  const column = columns.find(({ id }) => id === chosen) ?? null;
  const models = (column === null ? columns : [column]).map(({ model }) => model);
  const values = column === null ? state.shared : parametersOf(state, column);
  const change = (next: Partial<ChatParameters>) => onChange(column?.id ?? null, next);
  const isTaken = (name: string) => models.some((model) => supported.get(model)?.includes(name) ?? true);
  const unsupported = explainUnsupported(models, supported);
  return (
    <section aria-label="Parameters" className="flex flex-col rounded-panel border border-border bg-surface text-table">
      <header className="flex min-h-11 items-center justify-between gap-2 border-b border-hairline px-4">
        <h2 className="text-body font-semibold">Parameters</h2>
        {columns.length > 1 && (
          <Segmented
            label="Column"
            value={column?.id ?? ALL}
            options={[
              { value: ALL, label: columns.length === 2 ? "Both" : "All" },
              ...columns.map(({ id, model }, index) => ({
                value: id,
                label: <span title={model}>{index + 1}</span>,
              })),
            ]}
            onValue={setChosen}
          />
        )}
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5 p-4">
        <Field label="System prompt">
          <TextArea
            value={values.system}
            onChange={(event) => change({ system: event.currentTarget.value })}
            placeholder="How the model should respond"
          />
        </Field>
        {numberParameters.map((rule) =>
          isTaken(rule.name) || (rule.name === "max_completion_tokens" && isTaken("max_tokens")) ? (
            <NumberRow
              key={rule.name}
              rule={rule}
              value={values[rule.name]}
              onValue={(value) => change({ [rule.name]: value })}
            />
          ) : null,
        )}
        {isTaken("reasoning_effort") && (
          <Field label={<Name>reasoning_effort</Name>}>
            <Select
              label="reasoning_effort"
              value={values.reasoning_effort === "" ? NONE : values.reasoning_effort}
              options={[NONE, "minimal", "low", "medium", "high"].map((value) => ({ value, label: value }))}
              onValue={(value) => change({ reasoning_effort: value === NONE ? "" : value })}
            />
          </Field>
        )}
        {isTaken("response_format") && (
          <Field label={<Name>response_format</Name>}>
            <Select
              label="response_format"
              value={values.response_format === "" ? NONE : values.response_format}
              options={[
                { value: NONE, label: "Text" },
                { value: "json_object", label: "JSON" },
                { value: "json_schema", label: "JSON Schema" },
              ]}
              onValue={(value) => change({ response_format: value === NONE ? "" : value })}
            />
          </Field>
        )}
        {isTaken("response_format") && values.response_format === "json_schema" && (
          <Field label="Schema" error={checkSchema(values)}>
            <TextArea
              mono
              value={values.schema}
              placeholder={'{ "type": "object", … }'}
              onChange={(event) => change({ schema: event.currentTarget.value })}
            />
          </Field>
        )}
        {isTaken("stop") && (
          <Field label={<Name>stop</Name>} hint="One sequence per line.">
            <TextArea
              mono
              rows={1}
              className="min-h-[34px]!"
              value={values.stop}
              onChange={(event) => change({ stop: event.currentTarget.value })}
            />
          </Field>
        )}
        {isTaken("tools") && (
          <Field label={<Name>tools</Name>} error={checkTools(values.tools)}>
            <TextArea
              mono
              rows={2}
              value={values.tools}
              placeholder={'[{ "type": "function", "function": { "name": "…" } }]'}
              onChange={(event) => change({ tools: event.currentTarget.value })}
            />
          </Field>
        )}
        {isTaken("stream") && (
          <div className="flex items-center justify-between">
            <Name>stream</Name>
            <Switch
              label="stream"
              isLabelHidden
              checked={values.stream === "true"}
              onValue={(on) => change({ stream: on ? "true" : "" })}
            />
          </div>
        )}
        {column !== null && Object.keys(column.own).length > 0 && (
          <Button size="sm" className="justify-self-start" onClick={() => onReset(column.id)}>
            Reset to shared values
          </Button>
        )}
        {unsupported.length > 0 && (
          <div className="grid gap-1 border-t border-hairline pt-3">
            <h3 className="text-meta font-semibold">Not supported</h3>
            {unsupported.map(({ model, names }) => (
              <p key={model} className="text-meta text-muted wrap-anywhere">
                <span className="font-mono text-text">{names.join(", ")}</span> {names.length === 1 ? "is" : "are"} not
                sent to {model}.
              </p>
            ))}
          </div>
        )}
      </div>
      <BalanceLeft />
    </section>
  );
}

function NumberRow(props: {
  readonly rule: NumberParameter;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const { rule, value } = props;
  const id = useId();
  const wrong = checkNumber(value, rule);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_80px] items-center gap-x-2 max-lg:grid-cols-[minmax(0,1fr)_120px] gap-y-1">
      <label htmlFor={id}>
        <Name>{rule.name}</Name>
      </label>
      <NumberInput
        id={id}
        inputMode="decimal"
        pattern="-?[0-9.]*"
        aria-invalid={wrong === null ? undefined : true}
        aria-describedby={`${id}-error`}
        value={value}
        placeholder={rule.hint}
        className="sm:h-[30px]! sm:text-table!"
        onChange={(event) => props.onValue(event.currentTarget.value)}
      />
      <p
        id={`${id}-error`}
        aria-live="polite"
        className={wrong === null ? "sr-only" : "col-span-2 text-meta text-danger"}
      >
        {wrong}
      </p>
    </div>
  );
}

function Name({ children }: { readonly children: string }) {
  return <span className="font-mono text-meta font-normal">{children}</span>;
}
