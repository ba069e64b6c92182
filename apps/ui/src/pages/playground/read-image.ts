const MAX_BYTES = 5 * 1024 * 1024;

/** Reads an image as a data URL, the format that models accept. */
export function readImage(file: File): Promise<string> {
  if (!file.type.startsWith("image/")) return Promise.reject(new Error(`${file.name} is not an image.`));
  if (file.size > MAX_BYTES) return Promise.reject(new Error(`${file.name} is larger than 5 MB.`));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}
