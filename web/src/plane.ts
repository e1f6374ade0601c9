// The map plane: [0, 1] x [0, 1], y downwards, laid on the Web Mercator square, so that every tile tool understands it.

export interface Place {
  x: number;
  y: number;
}

export function toLngLat({ x, y }: Place): [number, number] {
  return [360 * x - 180, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI];
}

export function toPlace(lng: number, lat: number): Place {
  const radians = (lat * Math.PI) / 180;
  return { x: (lng + 180) / 360, y: (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2 };
}
