import { nameProvider } from "../format/model-names.ts";

/** A provider's initials in a box, shown beside its name. */
export function ProviderMark({ provider }: { readonly provider: string }) {
  return (
    <span
      aria-hidden
      title={nameProvider(provider)}
      className="inline-grid h-4 min-w-4 flex-none place-items-center rounded-[4px] bg-sunken px-0.5 text-[10px] leading-none font-medium text-muted inset-ring inset-ring-border"
    >
      {lettersOf(nameProvider(provider))}
    </span>
  );
}

/** Marks of all providers, and the name of the first provider. */
export function Providers({ providers }: { readonly providers: readonly string[] }) {
  const [first, ...others] = providers;
  if (first === undefined) return <span className="text-muted">None</span>;
  return (
    <span className="inline-flex items-center gap-1 text-muted" title={providers.map(nameProvider).join(", ")}>
      {providers.slice(0, 2).map((provider) => (
        <ProviderMark key={provider} provider={provider} />
      ))}
      <span className="ml-0.5">
        {nameProvider(first)}
        {others.length > 0 && ` +${others.length}`}
      </span>
    </span>
  );
}

function lettersOf(name: string): string {
  const capitals = name.replaceAll(/[^A-Z]/g, "");
  return name.startsWith("v") ? "v" : capitals.length > 1 && name.length < 6 ? capitals.slice(0, 2) : name.slice(0, 1);
}
