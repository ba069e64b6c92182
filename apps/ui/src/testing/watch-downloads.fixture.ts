import { vi } from "vitest";

interface Download {
  readonly name: string;
  readonly content: Blob;
}

/** Collects the files that the page offers for download. */
export function watchDownloads(): readonly Download[] {
  const downloads: Download[] = [];
  let content = new Blob();
  vi.spyOn(URL, "createObjectURL").mockImplementation((file) => {
    content = file as Blob;
    return "blob:file";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push({ name: this.download, content });
  });
  return downloads;
}
