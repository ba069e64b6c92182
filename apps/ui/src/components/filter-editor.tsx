import { useState } from "react";
import { Button } from "./button.tsx";
import { Checkbox } from "./checkbox.tsx";
import { Field } from "./field.tsx";
import { type Filter, type FilterValues, FLAG_ON, filterTexts } from "./filter.ts";
import { NumberInput, TextInput } from "./inputs.tsx";
import { RadioGroup } from "./radio-group.tsx";
import type { Option } from "./select-face.tsx";

interface FilterEditorProps {
  readonly filter: Filter;
  readonly values: FilterValues;
  readonly onChange: (value: string | readonly string[]) => void;
  /** Called when the choice is complete, so that a surrounding layer can close. */
  readonly onDone?: () => void;
}

const SEARCH_FROM = 8;

/** Editor for a filter, in its chip's popover or in the sheet on small screens. */
export function FilterEditor(props: FilterEditorProps) {
  const { filter, values, onChange } = props;
  const texts = filterTexts(values, filter.name);
  switch (filter.kind) {
    case "flag":
      return <Checkbox label={filter.label} checked={texts.length > 0} onValue={(on) => onChange(on ? FLAG_ON : "")} />;
    case "one":
      return <OneEditor {...props} texts={texts} />;
    case "many":
      return <ManyEditor {...props} texts={texts} />;
    default:
      return <TypedEditor {...props} initial={texts[0] ?? ""} />;
  }
}

function OneEditor(props: FilterEditorProps & { readonly texts: readonly string[] }) {
  const { filter, texts, onChange, onDone } = props;
  const [search, setSearch] = useState("");
  const options = withChosen(filter.options ?? [], texts);
  return (
    <div className="grid gap-2 min-w-0">
      <OptionSearch filter={filter} count={options.length} search={search} onSearch={setSearch} />
      <RadioGroup
        label={filter.label}
        value={texts[0] ?? ""}
        options={[{ value: "", label: "Any" }, ...findOptions(options, search)]}
        onValue={(value) => {
          onChange(value);
          onDone?.();
        }}
      />
    </div>
  );
}

function ManyEditor(props: FilterEditorProps & { readonly texts: readonly string[] }) {
  const { filter, texts, onChange } = props;
  const [search, setSearch] = useState("");
  const options = withChosen(filter.options ?? [], texts);
  const found = findOptions(options, search);
  return (
    <fieldset className="grid gap-2 min-w-0">
      <legend className="mb-2 text-table font-medium">{filter.label}</legend>
      <OptionSearch filter={filter} count={options.length} search={search} onSearch={setSearch} />
      <div className="grid gap-2 max-h-[260px] overflow-y-auto p-1 -m-1">
        {found.map(({ value, label, note }) => (
          <span key={value} className="flex items-center gap-2 min-w-0">
            <Checkbox
              label={label}
              checked={texts.includes(value)}
              onValue={(on) => onChange(on ? [...texts, value] : texts.filter((other) => other !== value))}
            />
            {note ? <span className="ml-auto text-meta text-muted">{note}</span> : null}
          </span>
        ))}
        {found.length === 0 ? <p className="text-table text-muted">No matches.</p> : null}
      </div>
    </fieldset>
  );
}

interface OptionSearchProps {
  readonly filter: Filter;
  readonly count: number;
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

function OptionSearch(props: OptionSearchProps) {
  if (props.count < SEARCH_FROM) return null;
  return (
    <TextInput
      aria-label={`Search ${props.filter.label}`}
      placeholder="Search"
      value={props.search}
      onChange={(event) => props.onSearch(event.currentTarget.value)}
    />
  );
}

function findOptions(options: readonly Option[], search: string): readonly Option[] {
  return options.filter(({ label }) => label.toLowerCase().includes(search.trim().toLowerCase()));
}

// Values in the URL may no longer be options. They are included so that the user can remove them.
function withChosen(options: readonly Option[], texts: readonly string[]): readonly Option[] {
  const strangers = texts.filter((text) => options.every(({ value }) => value !== text));
  return [...strangers.map((value) => ({ value, label: value })), ...options];
}

function TypedEditor(props: FilterEditorProps & { readonly initial: string }) {
  const { filter } = props;
  const [text, setText] = useState(props.initial);
  const Input = filter.kind === "number" ? NumberInput : TextInput;
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        props.onChange(text.trim());
        props.onDone?.();
      }}
    >
      <Field label={filter.label}>
        <Input value={text} onChange={(event) => setText(event.currentTarget.value)} />
      </Field>
      <Button type="submit" size="sm">
        Apply
      </Button>
    </form>
  );
}
