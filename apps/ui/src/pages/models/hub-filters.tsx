import { formatTokens } from "@tollgate/domain/figures/size-text.ts";
import { type CSSProperties, type ReactNode, useId, useState } from "react";
import type { HubModel } from "../../api/hub-model.ts";
import { Checkbox } from "../../components/checkbox.tsx";
import { Select } from "../../components/select.tsx";
import { countFacet, type FacetName, type HubQuery } from "./filter-hub.ts";

interface HubFiltersProps {
  readonly models: readonly HubModel[];
  readonly query: HubQuery;
  readonly onChange: (change: Partial<HubQuery>) => void;
  /** The access filter is shown only to signed-in users. */
  readonly isSignedIn: boolean;
}

const FIRST_VALUES = 6;
const CONTEXT_STOPS = ["", "4000", "8000", "16000", "32000", "64000", "128000", "200000", "400000", "1000000"];
const PRICE_STOPS = ["0", "0.1", "0.25", "0.5", "1", "2", "3", "5", "10", "15", "30", ""];

/** Hub filters, with the number of models for each value. */
export function HubFilters(props: HubFiltersProps) {
  const { models, query, onChange, isSignedIn } = props;
  const params = [...new Set(models.flatMap(({ supportedParams }) => supportedParams))].sort();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] divide-y divide-hairline text-table [&>*]:py-3.5 [&>*:first-child]:pt-0">
      <Facet {...props} facet="provider" title="Provider" />
      <Facet {...props} facet="mode" title="Mode" />
      <Facet {...props} facet="can" title="Capabilities" />
      <Facet {...props} facet="input" title="Input" />
      <Facet {...props} facet="output" title="Output" />
      <Group title="Size and price">
        <Slider
          label="Context window"
          stops={CONTEXT_STOPS}
          value={query.context}
          say={(stop) => (stop === "" ? "any" : `${formatTokens(Number(stop))} or more`)}
          onValue={(context) => onChange({ context })}
        />
        <Slider
          label="Input per 1M"
          stops={PRICE_STOPS}
          value={query.maxIn}
          say={sayPrice}
          onValue={(maxIn) => onChange({ maxIn })}
        />
        <Slider
          label="Output per 1M"
          stops={PRICE_STOPS}
          value={query.maxOut}
          say={sayPrice}
          onValue={(maxOut) => onChange({ maxOut })}
        />
      </Group>
      <Group title="Supported parameter">
        <Select
          label="Supported parameter"
          value={query.param === "" ? ANY : query.param}
          options={[{ value: ANY, label: "Any" }, ...params.map((name) => ({ value: name, label: name }))]}
          onValue={(param) => onChange({ param: param === ANY ? "" : param })}
        />
      </Group>
      <Group title={isSignedIn ? "Access" : "Price"}>
        {isSignedIn && <Flag {...props} facet="mine" label="Available to my keys" />}
        <Flag {...props} facet="priced" label="Priced only" />
      </Group>
    </div>
  );
}

const ANY = "any";

const sayPrice = (stop: string): string => (stop === "" ? "any" : stop === "0" ? "free" : `up to $${stop}`);

function Facet(props: HubFiltersProps & { readonly facet: FacetName; readonly title: string }) {
  const { models, query, facet, title, onChange } = props;
  const [isWhole, setWhole] = useState(false);
  const values = countFacet(models, query, facet);
  const chosen = query[facet];
  if (typeof chosen === "string" || values.length < 2) return null;
  const isShown = (index: number, value: string) => isWhole || index < FIRST_VALUES || chosen.includes(value);
  const hidden = values.filter(({ value }, index) => !isShown(index, value)).length;
  return (
    <Group title={title}>
      {values.map(({ value, label, count }, index) =>
        isShown(index, value) ? (
          <Choice
            key={value}
            label={label}
            count={count}
            checked={chosen.includes(value)}
            onValue={(on) => onChange({ [facet]: on ? [...chosen, value] : chosen.filter((other) => other !== value) })}
          />
        ) : null,
      )}
      {(hidden > 0 || isWhole) && values.length > FIRST_VALUES && (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          className="h-6 justify-self-start text-meta font-medium text-accent hover:underline max-sm:h-9"
        >
          {isWhole ? "Show fewer" : `Show ${hidden} more`}
        </button>
      )}
    </Group>
  );
}

function Flag(props: HubFiltersProps & { readonly facet: "mine" | "priced"; readonly label: string }) {
  const { models, query, facet, label, onChange } = props;
  const count = countFacet(models, query, facet).find(({ value }) => value === "true")?.count ?? 0;
  return (
    <Choice
      label={label}
      count={count}
      checked={query[facet] !== ""}
      onValue={(on) => onChange({ [facet]: on ? "true" : "" })}
    />
  );
}

function Choice(props: {
  readonly label: string;
  readonly count: number;
  readonly checked: boolean;
  readonly onValue: (on: boolean) => void;
}) {
  return (
    <div className="flex items-center justify-between gap-2 max-sm:min-h-9">
      <Checkbox
        label={<span className={props.count === 0 ? "text-faint" : "text-muted"}>{props.label}</span>}
        checked={props.checked}
        onValue={props.onValue}
      />
      <span className="text-meta text-faint">{props.count}</span>
    </div>
  );
}

function Slider(props: {
  readonly label: string;
  readonly stops: readonly string[];
  readonly value: string;
  readonly say: (stop: string) => string;
  readonly onValue: (stop: string) => void;
}) {
  const id = useId();
  const { stops, value } = props;
  const found = stops.indexOf(value);
  const at = found === -1 ? stops.indexOf("") : found;
  const words = props.say(stops[at] ?? "");
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="flex justify-between gap-2 text-meta text-muted">
        {props.label} <span className="font-medium text-text">{words}</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={stops.length - 1}
        value={at}
        aria-valuetext={words}
        onChange={(event) => props.onValue(stops[event.currentTarget.valueAsNumber] ?? "")}
        style={{ "--filled": `${(at / (stops.length - 1)) * 100}%` } as CSSProperties}
        className="slider h-5 w-full max-sm:h-9"
      />
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset sits on its edge, outside of the padding.
    <div role="group" aria-labelledby={id} className="grid min-w-0 gap-1.5">
      <h2 id={id} className="text-meta font-semibold">
        {title}
      </h2>
      {children}
    </div>
  );
}
