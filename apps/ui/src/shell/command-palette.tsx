import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import {
  ArrowLeftRight,
  BookOpen,
  Box,
  Copy,
  KeyRound,
  List,
  Moon,
  Plus,
  Search,
  UsersRound,
  Wallet,
} from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useConfig } from "../api/config.ts";
import { useMe } from "../api/me.ts";
import { useCall, useChange } from "../api/queries.ts";
import { useToast } from "../components/toast.tsx";
import { plural } from "../format/plural.ts";
import { navigationOf } from "./navigation.ts";
import { findEntries, isCallId, type PaletteEntry } from "./palette-entries.ts";
import { toggleTheme } from "./theme.ts";

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Search field for all pages, keys, teams, models, and actions. Pages are found without network access. */
export function CommandPalette({ open, onClose, onShortcuts }: PaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          aria-label="Search or jump to"
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(640px,calc(100vw-24px))] -translate-x-1/2 flex-col overflow-hidden rounded-dialog border border-border bg-raised shadow-float"
        >
          {open && <PaletteBody onClose={onClose} onShortcuts={onShortcuts} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteBody({ onClose, onShortcuts }: Omit<PaletteProps, "open">) {
  const [question, setQuestion] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const entries = useEntries(question, onShortcuts);
  const found = useMemo(() => findEntries(entries, isCallId(question) ? "" : question), [entries, question]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((before) => (before + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") run(found[at]);
  };
  return (
    <>
      <div className="flex items-center gap-3 border-b border-border px-4">
        <Search size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-muted" />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-label="Search or jump to"
          aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
          value={question}
          onChange={(event) => {
            setQuestion(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
          placeholder="Page, key, team, model, or request ID"
          className="h-12 flex-1 bg-transparent text-section outline-none"
        />
        <kbd className="rounded-[4px] border border-border bg-sunken px-1.5 font-sans text-[11px] text-muted">esc</kbd>
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="min-h-0 flex-1 overflow-y-auto p-2"
      >
        {found.length === 0 && <p className="px-3 py-6 text-center text-muted">No results.</p>}
        {found.map((entry, index) => (
          <div key={entry.id}>
            {entry.section !== found[index - 1]?.section && (
              <p className="px-3 pt-2 pb-1 text-meta text-muted">{entry.section}</p>
            )}
            <div
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={() => run(entry)}
              onKeyDown={onKey}
              className="flex h-9 cursor-pointer items-center gap-2.5 rounded-control px-3 text-table aria-selected:bg-selected pointer-coarse:h-11"
            >
              <span aria-hidden className="text-muted">
                {entry.icon}
              </span>
              <span className="truncate font-medium">{entry.label}</span>
              {entry.note !== undefined && (
                <span className="min-w-0 flex-1 truncate text-meta text-muted">{entry.note}</span>
              )}
              {entry.keys !== undefined && <kbd className="ml-auto font-sans text-meta text-muted">{entry.keys}</kbd>}
            </div>
          </div>
        ))}
      </div>
      <p className="hidden justify-between border-t border-border bg-sunken px-4 py-2 text-meta text-muted sm:flex">
        <span>↑ ↓ to move · Enter to open</span>
        <span>Paste a request ID to open its log</span>
      </p>
    </>
  );
}

function useEntries(question: string, onShortcuts: () => void): readonly PaletteEntry[] {
  const { isAdministrator, organizations, organization } = useMe();
  const { training, apiUrl, docsUrl } = useConfig();
  const navigate = useNavigate();
  const toast = useToast();
  const keys = useCall("listApiKeys", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const models = useCall("listHubModels", {}, { staleMs: 60_000 });
  const activate = useChange("updateActiveOrganization", { onDone: () => window.location.reload() });
  return useMemo(() => {
    const go = (to: string, search: Record<string, string> = {}) => void navigate({ to, search: search });
    const small = { size: 16, strokeWidth: 1.5 };
    const pasted: PaletteEntry[] = isCallId(question)
      ? [
          {
            id: "call",
            section: "Request",
            label: question.trim(),
            note: "open log",
            icon: <List {...small} />,
            run: () => go(`/logs/${question.trim()}`),
          },
        ]
      : [];
    const pages = navigationOf({ isAdministrator, hasTraining: training }).flatMap(({ entries }) =>
      entries.map(
        ({ to, label, icon: Icon, letter, words }): PaletteEntry => ({
          id: `page ${to}`,
          section: "Go to",
          label,
          icon: <Icon {...small} />,
          ...(letter !== undefined && { keys: `g ${letter}` }),
          ...(words !== undefined && { words }),
          run: () => go(to),
        }),
      ),
    );
    const things: PaletteEntry[] = [
      ...(teams.data?.data ?? []).map((team) => ({
        id: team.id,
        section: "Teams",
        label: team.name,
        note: plural(team.keyCount, "key"),
        icon: <UsersRound {...small} />,
        run: () => go(`/teams/${team.id}`),
      })),
      ...(keys.data?.data ?? []).map((key) => ({
        id: key.id,
        section: "Keys",
        label: key.name,
        note: `…${key.id.slice(-4)}`,
        icon: <KeyRound {...small} />,
        run: () => go(`/keys/${key.id}`),
      })),
      ...(models.data?.models ?? []).map((model) => ({
        id: `model ${model.id}`,
        section: "Models",
        label: model.id,
        note: model.providers.join(", "),
        icon: <Box {...small} />,
        run: () => go(`/model_hub_table/${model.id}`),
      })),
    ];
    const actions: PaletteEntry[] = [
      {
        id: "create key",
        section: "Actions",
        label: "Create API key",
        icon: <Plus {...small} />,
        run: () => go("/keys", { create: "1" }),
      },
      {
        id: "buy",
        section: "Actions",
        label: "Buy credits",
        words: "pay top up",
        icon: <Wallet {...small} />,
        run: () => go("/credits"),
      },
      {
        id: "copy",
        section: "Actions",
        label: "Copy base URL",
        note: `${apiUrl}/v1`,
        icon: <Copy {...small} />,
        run: () => void navigator.clipboard.writeText(`${apiUrl}/v1`).then(() => toast.done("Base URL copied")),
      },
      {
        id: "theme",
        section: "Actions",
        label: "Toggle theme",
        words: "light dark",
        keys: "t",
        icon: <Moon {...small} />,
        run: toggleTheme,
      },
      {
        id: "shortcuts",
        section: "Actions",
        label: "Keyboard shortcuts",
        keys: "?",
        icon: <BookOpen {...small} />,
        run: onShortcuts,
      },
      ...organizations
        .filter(({ id }) => id !== organization?.id)
        .map(({ id, name }) => ({
          id: `organization ${id}`,
          section: "Actions",
          label: `Switch to ${name}`,
          icon: <ArrowLeftRight {...small} />,
          run: () => activate.mutate({ body: { organizationId: id } }),
        })),
      {
        id: "docs",
        section: "Docs",
        label: "API reference",
        words: "documentation openapi",
        icon: <BookOpen {...small} />,
        run: () => void window.open(docsUrl, "_blank", "noopener"),
      },
    ];
    return [...pasted, ...things, ...pages, ...actions];
  }, [
    question,
    isAdministrator,
    training,
    keys.data,
    teams.data,
    models.data,
    organizations,
    organization,
    apiUrl,
    docsUrl,
    navigate,
    toast,
    activate,
    onShortcuts,
  ]);
}
