import { useLocation, useNavigate } from "@tanstack/react-router";
import { Bookmark, ChevronDown, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useCall, useChange } from "../api/queries.ts";
import { parseSearch } from "../router-search.ts";
import { Button, IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorText } from "./error-text.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./inputs.tsx";
import { Menu } from "./menu.tsx";
import { Notice } from "./notice.tsx";

interface SavedViewsProps {
  /** Page that the views belong to. */
  readonly page: "logs" | "usage";
  /** Returns the part of the URL query that a view stores: filters and settings, not open panels. */
  readonly viewOf: (search: string) => string;
}

/** Menu of a page's saved views. Each view is a named URL. */
export function SavedViews({ page: own, viewOf }: SavedViewsProps) {
  const [isManaging, setManaging] = useState(false);
  const { searchStr } = useLocation();
  const navigate = useNavigate();
  const preferences = useCall("getPreferences", {}, { staleMs: 300_000 });
  const all = preferences.data?.preferences.savedViews ?? [];
  const views = all.filter(({ page }) => page === own);
  const current = viewOf(searchStr);
  const shown = views.find(({ search }) => search === current);
  return (
    <>
      <Menu
        label="Saved views"
        trigger={
          <Button size="sm" icon={<Bookmark size={14} strokeWidth={1.5} aria-hidden />}>
            <span className="max-w-40 truncate">{shown?.name ?? "Saved views"}</span>
            <ChevronDown size={14} strokeWidth={1.5} aria-hidden />
          </Button>
        }
        items={[
          ...views.map(({ name, search }) => ({
            label: name,
            onSelect: () => void navigate({ to: `/${own}`, search: parseSearch(search) }),
          })),
          { label: "Manage views", onSelect: () => setManaging(true) },
        ]}
      />
      {isManaging && <ManageViews page={own} all={all} current={current} onClose={() => setManaging(false)} />}
    </>
  );
}

type View = { readonly id: string; readonly page: string; readonly name: string; readonly search: string };

interface ManageViewsProps {
  readonly page: string;
  readonly all: readonly View[];
  readonly current: string;
  readonly onClose: () => void;
}

function ManageViews({ page: own, all, current, onClose }: ManageViewsProps) {
  const [name, setName] = useState("");
  const update = useChange("updatePreferences", { invalidates: ["getPreferences"], isQuiet: true });
  const views = all.filter(({ page }) => page === own);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const view = { id: `view-${Date.now().toString(36)}`, page: own, name: name.trim(), search: current };
    const others = all.filter((each) => each.page !== own || each.name !== view.name);
    update.mutate({ body: { savedViews: [...others, view] } }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Saved views" note="Only you can see your saved views." open onClose={onClose} width={460}>
      {update.error !== null && (
        <Notice tone="danger">
          <ErrorText error={update.error} />
        </Notice>
      )}
      <form onSubmit={save} className="grid gap-2">
        <Field label="View name" hint={current === "" ? "Saves the page without filters." : current}>
          <TextInput value={name} onChange={(event) => setName(event.currentTarget.value)} maxLength={60} autoFocus />
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="justify-self-start"
          busy={update.isPending}
          disabledReason={name.trim() === "" ? "Enter a name" : null}
        >
          Save view
        </Button>
      </form>
      {views.length > 0 && (
        <ul className="border-t border-hairline pt-2" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.id} className="flex items-center gap-2 py-1 text-table">
              <span className="min-w-0 grow truncate">{view.name}</span>
              <IconButton
                label={`Remove ${view.name}`}
                size="sm"
                icon={<X size={14} strokeWidth={1.5} />}
                onClick={() => update.mutate({ body: { savedViews: all.filter(({ id }) => id !== view.id) } })}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
