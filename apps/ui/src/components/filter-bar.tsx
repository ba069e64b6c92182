import { ListFilter, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { clearedFilters, type Filter, type FilterValues, isFilterSet } from "./filter.ts";
import { FilterChip } from "./filter-chip.tsx";
import { FilterEditor } from "./filter-editor.tsx";
import { Menu } from "./menu.tsx";
import { SearchBox, type SearchBoxProps } from "./search-box.tsx";
import { Sheet } from "./sheet.tsx";
import { NARROW, useMedia } from "./use-media.ts";

interface FilterBarProps<Values extends FilterValues> {
  readonly filters: readonly Filter<keyof Values & string>[];
  readonly values: Values;
  readonly onChange: (changes: Partial<Values>) => void;
  readonly search?: SearchBoxProps;
  /** Number of filters that are always visible. Users can add the other filters. */
  readonly alwaysShown?: number;
  /** Additional controls in the same row. */
  readonly children?: React.ReactNode;
}

/** Filters for a list: search, one chip per filter, and a button to clear all. Shown in a sheet on small screens. */
export function FilterBar<Values extends FilterValues>(props: FilterBarProps<Values>) {
  const isNarrow = useMedia(NARROW);
  return (
    <search className="flex flex-wrap items-center gap-2 min-w-0">
      {props.search ? <SearchBox {...props.search} /> : null}
      {isNarrow ? <FilterSheet {...props} /> : <FilterChips {...props} />}
      {props.children}
    </search>
  );
}

function FilterChips<Values extends FilterValues>(props: FilterBarProps<Values>) {
  const { filters, values, onChange, alwaysShown = 2 } = props;
  const [added, setAdded] = useState<string | null>(null);
  const isShown = (filter: Filter, index: number) =>
    index < alwaysShown || isFilterSet(values, filter) || filter.name === added;
  const shown = filters.filter(isShown);
  const hidden = filters.filter((filter, index) => !isShown(filter, index));
  const set = filters.filter((filter) => isFilterSet(values, filter));
  return (
    <>
      {shown.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          values={values}
          isOpenAtFirst={filter.name === added}
          onChange={(value) => onChange({ [filter.name]: value } as Partial<Values>)}
          onClear={() => {
            setAdded(null);
            onChange(clearedFilters(values, [filter]));
          }}
        />
      ))}
      {hidden.length === 0 ? null : (
        <Menu
          label="Add filter"
          trigger={
            <button
              type="button"
              className="inline-flex items-center gap-[6px] h-7 px-2 rounded-control border border-dashed border-outline-soft text-meta text-muted hover:text-text"
            >
              <Plus size={14} strokeWidth={1.5} aria-hidden />
              Filter
            </button>
          }
          items={hidden.map(({ name, label, kind }) => ({
            label,
            onSelect: () => (kind === "flag" ? onChange({ [name]: "true" } as Partial<Values>) : setAdded(name)),
          }))}
        />
      )}
      {set.length === 0 ? null : (
        <Button variant="ghost" size="sm" onClick={() => onChange(clearedFilters(values, set))}>
          Clear all
        </Button>
      )}
    </>
  );
}

function FilterSheet<Values extends FilterValues>(props: FilterBarProps<Values>) {
  const { filters, values, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  const count = filters.filter((filter) => isFilterSet(values, filter)).length;
  if (filters.length === 0) return null;
  return (
    <>
      <Button icon={<ListFilter size={16} strokeWidth={1.5} aria-hidden />} onClick={() => setIsOpen(true)}>
        {count === 0 ? "Filters" : `Filters (${count})`}
      </Button>
      <Sheet
        title="Filters"
        open={isOpen}
        onClose={() => setIsOpen(false)}
        footer={
          <>
            <Button onClick={() => onChange(clearedFilters(values, filters))}>Clear all</Button>
            <Button variant="primary" className="grow" onClick={() => setIsOpen(false)}>
              Done
            </Button>
          </>
        }
      >
        <div className="grid gap-4">
          {filters.map((filter) => (
            <FilterEditor
              key={filter.name}
              filter={filter}
              values={values}
              onChange={(value) => onChange({ [filter.name]: value } as Partial<Values>)}
            />
          ))}
        </div>
      </Sheet>
    </>
  );
}
