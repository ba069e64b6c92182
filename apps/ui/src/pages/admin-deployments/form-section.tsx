import type { ReactNode } from "react";

interface FormSectionProps {
  readonly step: number;
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** One step of a form that shows all steps on one page. */
export function FormSection({ step, title, note, children }: FormSectionProps) {
  return (
    <section className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 border-b border-hairline px-5 py-4 last:border-b-0 max-sm:px-4">
      <span
        aria-hidden
        className="grid size-6 place-items-center rounded-full border border-outline-soft text-meta font-medium text-muted"
      >
        {step}
      </span>
      <div className="grid gap-3">
        <h3 className="text-table/6 font-semibold">
          {title}
          {note !== undefined && <span className="ml-2 font-normal text-muted">{note}</span>}
        </h3>
        {children}
      </div>
    </section>
  );
}
