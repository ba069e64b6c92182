const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Formats a size: 20 bytes, 44.7 MB. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1_000 ** power).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${units[power]}`;
}
