import CSQLite
import WebImageCore
