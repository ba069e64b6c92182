class PrismaError(Exception):
    pass


class ClientNotConnectedError(PrismaError):
    pass


class HTTPClientClosedError(PrismaError):
    pass


class DataError(PrismaError):
    pass


class UniqueViolationError(DataError):
    pass


class ForeignKeyViolationError(DataError):
    pass


class RecordNotFoundError(DataError):
    pass


class MissingRequiredValueError(DataError):
    pass


class RawQueryError(DataError):
    pass


class TableNotFoundError(DataError):
    pass


class FieldNotFoundError(DataError):
    pass


class InputError(DataError):
    pass
