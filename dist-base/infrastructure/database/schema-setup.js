var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
/** Makes every collection and index before the port opens: uniqueness is promised from the first request on. */
let SchemaSetup = class SchemaSetup {
    connection;
    logger = new Logger('Database');
    constructor(connection) {
        this.connection = connection;
    }
    async onApplicationBootstrap() {
        for (const model of Object.values(this.connection.models)) {
            await model.createCollection();
            await model.createIndexes();
        }
        this.logger.debug(`Indexes of ${Object.keys(this.connection.models).length} collections are in place`);
    }
};
SchemaSetup = __decorate([
    Injectable(),
    __param(0, InjectConnection()),
    __metadata("design:paramtypes", [Function])
], SchemaSetup);
export { SchemaSetup };
//# sourceMappingURL=schema-setup.js.map